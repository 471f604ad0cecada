// The kernel of an infinitely wide Bayesian neural network: the covariance of its outputs if the
// weights and biases of every layer are independent normal variables.
//
//   K^0(x, x') = vb + vw (x . x') / d
//   K^l(x, x') = vb + vw E[a(u) a(u')],   (u, u') ~ N(0, K^(l-1) over x and x'),
//
// where `a` is the activation, vw the variance of the weights and vb the variance of the biases.
// The kernel depends on x and x' only through p = x.x / d, q = x.x' / d and p' = x'.x' / d.
#pragma once

#include "gp/kernel.hpp"
#include "gp/kernel_options.hpp"

namespace oscbo::gp {

struct NetworkArchitecture {
  int depth = 3;  // hidden layers
  KernelOptions::Activation activation = KernelOptions::Activation::relu;
  bool normalised = true;  // divided by its largest value in the unit box, at (1, ..., 1)
};

/// theta is (vw, vb), both positive.
class NetworkKernel final : public Kernel {
 public:
  explicit NetworkKernel(const NetworkArchitecture& architecture) : architecture_(architecture) {}

  void matrix(const Inputs& inputs, const Vector& theta, PaddedMatrix& K) const override;
  void matrix_with_slopes(const Inputs& inputs, const Vector& theta, PaddedMatrix& K,
                          KernelSlopes& slopes) const override;
  void theta_gradient(const Inputs& inputs, const Vector& theta, KernelSlopes& slopes,
                      const Contraction& contract, Vector& gradient) const override;

  /// encode writes the coordinates of each point and, in a last column, its p.
  void encode(const Inputs& inputs, const Vector& theta, PaddedMatrix& encoded) const override;
  void append_encoded(std::span<const double> x, const Vector& theta,
                      PaddedMatrix& encoded) const override;
  [[nodiscard]] double variance(std::span<const double> x, const Vector& theta) const override;
  [[nodiscard]] Index slope_columns(Index /*dimension*/) const override { return 2; }
  /// covariances writes dk/dq and dk/dp to the two columns of the slopes. Here p belongs to x, not
  /// to the encoded point.
  void covariances(const PaddedMatrix& encoded, std::span<const double> x, const Vector& theta,
                   double* k, PaddedMatrix* slopes) const override;
  void pull_back(const PaddedMatrix& encoded, std::span<const double> x, const Vector& theta,
                 const PaddedMatrix& slopes, const WeightedGradients& gradients) const override;
  void add_variance_gradient(std::span<const double> x, const Vector& theta,
                             std::span<double> gradient) const override;
  void covariances_of_batch(const PaddedMatrix& encoded, const PaddedMatrix& points,
                            const Vector& theta, PaddedMatrix& V, Vector& variances) const override;

 private:
  NetworkArchitecture architecture_;
};

}  // namespace oscbo::gp
