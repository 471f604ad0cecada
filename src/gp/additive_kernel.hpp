// A kernel for functions that are partly sums of functions of single parameters:
//
//   k(x, x') = (k_joint(x, x') + w/d sum_p phi(|x_p - x'_p| / a_p)) / (1 + w).
//
// Here phi is the profile of radial_profile.hpp, and k_joint is the covariance of joint_part.hpp,
// which is phi(r) if all parameters are numeric. The lengthscales of k_joint are l_1, ..., l_d, and
// those of the sum are a_1, ..., a_d. A sum of d functions of one variable can be learned from far
// fewer points than one function of d variables. The weight w of the sum relative to k_joint tells
// how far the function is such a sum. theta = (l_1, ..., l_d, a_1, ..., a_d, w).
#pragma once

#include "gp/joint_part.hpp"
#include "gp/kernel.hpp"

namespace oscbo::gp {

class AdditiveKernel final : public Kernel {
 public:
  AdditiveKernel(RadialProfile profile, Layout layout)
      : profile_(std::move(profile)), layout_(std::move(layout)) {}

  void matrix(const Inputs& inputs, const Vector& theta, PaddedMatrix& K) const override;
  void theta_gradient(const Inputs& inputs, const Vector& theta, KernelSlopes& slopes,
                      const Contraction& contract, Vector& gradient) const override;

  void encode(const Inputs& inputs, const Vector& theta, PaddedMatrix& encoded) const override;
  void append_encoded(std::span<const double> x, const Vector& theta,
                      PaddedMatrix& encoded) const override;
  [[nodiscard]] Index slope_columns(Index /*dimension*/) const override {
    return 1 + layout_.parameters();
  }
  void covariances(const PaddedMatrix& encoded, std::span<const double> x, const Vector& theta,
                   double* k, PaddedMatrix* slopes) const override;
  void pull_back(const PaddedMatrix& encoded, std::span<const double> x, const Vector& theta,
                 const PaddedMatrix& slopes, const WeightedGradients& gradients) const override;
  void covariances_of_batch(const PaddedMatrix& encoded, const PaddedMatrix& points,
                            const Vector& theta, PaddedMatrix& V, Vector& variances) const override;

 private:
  RadialProfile profile_;
  Layout layout_;
};

}  // namespace oscbo::gp
