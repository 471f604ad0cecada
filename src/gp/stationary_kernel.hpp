// Stationary kernels: k(x, x') = phi(r), where r is the distance in units of the lengthscales.
// radial_profile.hpp defines r and phi.
#pragma once

#include "gp/kernel.hpp"
#include "gp/radial_profile.hpp"

namespace oscbo::gp {

/// theta is one lengthscale or one per input dimension.
class StationaryKernel final : public Kernel {
 public:
  explicit StationaryKernel(RadialProfile profile) : profile_(std::move(profile)) {}

  [[nodiscard]] const RadialProfile* profile() const override { return &profile_; }

  void matrix(const Inputs& inputs, const Vector& theta, PaddedMatrix& K) const override;
  void matrix_with_slopes(const Inputs& inputs, const Vector& theta, PaddedMatrix& K,
                          KernelSlopes& slopes) const override;
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
  RadialProfile profile_;
};

/// stationary_kernel returns the kernel with a closed-form profile.
[[nodiscard]] inline KernelHandle stationary_kernel(KernelShape shape) {
  return std::make_shared<StationaryKernel>(RadialProfile(shape));
}

}  // namespace oscbo::gp
