// A kernel for functions that are, in part, sums of functions of single parameters:
//
//   k(x, x') = (phi(r) + w/d sum_j phi(|x_j - x'_j| / a_j)) / (1 + w),
//   r^2 = sum_j (x_j - x'_j)^2 / l_j^2,
//
// with the profile phi of radial_profile.hpp. A sum of d functions of one variable is learned from
// far fewer points than one function of d variables; w, the weight of the sums against the rest,
// says how far the function is one. theta = (l_1, ..., l_d, a_1, ..., a_d, w).
#pragma once

#include "gp/kernel.hpp"
#include "gp/radial_profile.hpp"

namespace oscbo::gp {

class AdditiveKernel final : public Kernel {
 public:
  explicit AdditiveKernel(RadialProfile profile) : profile_(std::move(profile)) {}

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
  [[nodiscard]] Index slope_columns(Index dimension) const override { return 1 + dimension; }
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
};

}  // namespace oscbo::gp
