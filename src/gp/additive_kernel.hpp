// A kernel for functions that are, in part, sums of functions of single parameters:
//
//   k(x, x') = (k_joint(x, x') + w/d sum_p phi(|x_p - x'_p| / a_p)) / (1 + w),
//
// with the profile phi of radial_profile.hpp, and k_joint, of lengthscales l, that of
// joint_part.hpp: phi(r) where all parameters are numeric. A sum of d functions of one variable is
// learned from far fewer points than one function of d variables; w, the weight of the sums against
// the rest, says how far the function is one. theta = (l_1, ..., l_d, a_1, ..., a_d, w).
#pragma once

#include "gp/joint_part.hpp"
#include "gp/kernel.hpp"

namespace oscbo::gp {

class AdditiveKernel final : public Kernel {
 public:
  AdditiveKernel(RadialProfile profile, Layout layout)
      : profile_(std::move(profile)), layout_(std::move(layout)) {}

  void matrix(const Inputs& inputs, const Vector& theta, PaddedMatrix& K) const override;
  void matrix_with_slopes(const Inputs& inputs, const Vector& theta, PaddedMatrix& K,
                          KernelSlopes& slopes) const override;
  void theta_gradient(const Inputs& inputs, const Vector& theta, KernelSlopes& slopes,
                      const Contraction& contract, Vector& gradient) const override;

  void encode(const Inputs& inputs, const Vector& theta, PaddedMatrix& encoded) const override;
  void append_encoded(std::span<const double> x, const Vector& theta,
                      PaddedMatrix& encoded) const override;
  [[nodiscard]] double variance(std::span<const double> /*x*/,
                                const Vector& /*theta*/) const override {
    return 1.0;
  }
  [[nodiscard]] Index slope_columns(Index /*dimension*/) const override {
    return 1 + layout_.parameters();
  }
  void covariances(const PaddedMatrix& encoded, std::span<const double> x, const Vector& theta,
                   double* k, PaddedMatrix* slopes) const override;
  void pull_back(const PaddedMatrix& encoded, std::span<const double> x, const Vector& theta,
                 const PaddedMatrix& slopes, const WeightedGradients& gradients) const override;
  void add_variance_gradient(std::span<const double> /*x*/, const Vector& /*theta*/,
                             std::span<double> /*gradient*/) const override {}
  void covariances_of_batch(const PaddedMatrix& encoded, const PaddedMatrix& points,
                            const Vector& theta, PaddedMatrix& V, Vector& variances) const override;

 private:
  RadialProfile profile_;
  Layout layout_;
};

}  // namespace oscbo::gp
