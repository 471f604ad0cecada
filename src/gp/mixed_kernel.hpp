// The stationary kernel for problems with categorical or conditional parameters. joint_part.hpp has
// its formula.
#pragma once

#include "gp/joint_part.hpp"
#include "gp/kernel.hpp"

namespace oscbo::gp {

/// theta is one lengthscale or one per parameter.
class MixedKernel final : public Kernel {
 public:
  MixedKernel(RadialProfile profile, Layout layout)
      : profile_(std::move(profile)), layout_(std::move(layout)) {}

  void matrix(const Inputs& inputs, const Vector& theta, PaddedMatrix& K) const override;
  void theta_gradient(const Inputs& inputs, const Vector& theta, KernelSlopes& slopes,
                      const Contraction& contract, Vector& gradient) const override;

  void encode(const Inputs& inputs, const Vector& theta, PaddedMatrix& encoded) const override;
  void append_encoded(std::span<const double> x, const Vector& theta,
                      PaddedMatrix& encoded) const override;
  [[nodiscard]] Index slope_columns(Index /*dimension*/) const override { return 1; }
  void covariances(const PaddedMatrix& encoded, std::span<const double> x, const Vector& theta,
                   double* k, PaddedMatrix* slopes) const override;
  void pull_back(const PaddedMatrix& encoded, std::span<const double> x, const Vector& theta,
                 const PaddedMatrix& slopes, const WeightedGradients& gradients) const override;
  void covariances_of_batch(const PaddedMatrix& encoded, const PaddedMatrix& points,
                            const Vector& theta, PaddedMatrix& V, Vector& variances) const override;

 private:
  [[nodiscard]] JointPart part(const Vector& theta) const {
    return {profile_, layout_, theta.data(), theta.size() == 1};
  }

  RadialProfile profile_;
  Layout layout_;
};

}  // namespace oscbo::gp
