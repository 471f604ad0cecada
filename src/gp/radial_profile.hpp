// The profile of a stationary kernel: k(x, x') = phi(r), r^2 = sum_j (x_j - x'_j)^2 / theta_j^2,
// phi(0) = 1.
//
// Every derivative follows from psi(r) = -phi'(r) / r, which is finite at r = 0 for Matern kernels
// with nu > 1:
//
//   dk/dtheta_j =  psi(r) (x_j - x'_j)^2 / theta_j^3      (isotropic: psi(r) r^2 / theta)
//   dk/dx_j     = -psi(r) (x_j - x'_j) / theta_j^2
#pragma once

#include <vector>

#include "gp/kernel_options.hpp"
#include "gp/numeric_names.hpp"

namespace oscbo::gp {

/// The profiles that have a closed form.
enum class KernelShape { matern12, matern32, matern52, rbf };

/// A value type that threads can share. A Matern kernel without a closed form,
///
///   phi(r) = 2^(1-nu) / Gamma(nu) s^nu K_nu(s),   s = sqrt(2 nu) r,
///
/// is evaluated as a scale mixture of RBF kernels:
///
///   phi(r) = 1/Gamma(nu) int_0^inf u^(nu-1) e^(-u) exp(-nu r^2 / (2u)) du.
///
/// In v = log(u / nu) the trapezoidal rule converges geometrically, and its nodes and weights
/// depend only on nu. phi and psi are sums of positive terms that cannot overflow for any nu and r.
/// For most nu, evaluating the Bessel function would take about twenty times as long
/// (radial_profile_bench.cpp).
class RadialProfile {
 public:
  explicit RadialProfile(KernelShape shape) : shape_(shape) {}

  /// matern returns the profile of smoothness nu > 0, in closed form if there is one.
  [[nodiscard]] static RadialProfile matern(double nu);

  /// matern_mixture returns the profile of smoothness nu > 0 as a mixture.
  [[nodiscard]] static RadialProfile matern_mixture(double nu);

  [[nodiscard]] bool is_matern52() const {
    return mixture_.empty() && shape_ == KernelShape::matern52;
  }

  /// evaluate replaces `count` distances r by phi(r) and, unless `slope` is null, writes psi(r) to
  /// `slope`. `count` must be a multiple of numeric::kLanes and the storage aligned. At r = 0 with
  /// nu <= 1, psi is infinite. In this case, evaluate writes a large finite number, so that psi(r)
  /// (x - x') is the subgradient 0.
  void evaluate(double* distances, double* slope, Index count) const;

 private:
  /// One term of the mixture: weight * exp(-rate r^2 / 2).
  struct Component {
    double weight;
    double rate;
  };

  void evaluate_mixture(double* distances, double* slope, Index count) const;

  KernelShape shape_;
  std::vector<Component> mixture_;  // by increasing rate; empty for closed forms
};

/// make_profile returns the profile of the stationary kernel that `config` describes.
[[nodiscard]] RadialProfile make_profile(const KernelOptions& config);

/// take_roots replaces `count` numbers by their square roots.
void take_roots(double* squares, Index count);

}  // namespace oscbo::gp
