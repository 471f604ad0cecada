// The function that SCGP minimises over the lengthscales theta of its second Gaussian process,
// which provides only the spread:
//
//   F(theta) = mean_i (beta(theta) sigma_i(theta))^2,   beta = quantile_{1-delta} of r_i / sigma_i.
//
// The index i runs over the calibration points, which the first process has not seen. r_i is the
// (signed) residual of its mean there, and sigma_i^2 = k(x_i, x_i) - |L^{-1} k(x_i)|^2 + s2_i is
// the variance of the second process given the training points, including noise. The smaller F, the
// narrower the one-sided band that covers a fraction 1 - delta of the calibration points.
#pragma once

#include <vector>

#include "gp/kernel.hpp"
#include "gp/known_noise.hpp"
#include "learners/sharp_options.hpp"
#include "numeric/cholesky.hpp"
#include "numeric/quantile.hpp"

namespace oscbo::learners {

using gp::Index;
using gp::Vector;

/// Owns the workspace of the evaluations. Points and their noise are held by reference and must
/// outlive the evaluations.
class SpreadObjective {
 public:
  /// `points` holds the training points, followed by the calibration points, one per residual.
  SpreadObjective(gp::KernelHandle kernel, double noise_variance, const gp::Inputs& points,
                  std::vector<double> residuals, double delta, SharpOptions::Quantile quantile_rule,
                  gp::KnownNoise known_noise = {});

  /// value_and_gradient returns F and writes dF/dtheta, which has as many entries as theta. If the
  /// matrix of the training points cannot be factorized even with jitter, F is infinite and the
  /// gradient is zero.
  double value_and_gradient(const Vector& theta, Vector& gradient);

  /// multiplier returns beta of the last finite evaluation.
  [[nodiscard]] double multiplier() const { return multiplier_; }

  /// evaluations counts factorizations since construction.
  [[nodiscard]] int evaluations() const { return evaluations_; }

 private:
  bool factorize(const Vector& theta);
  void compute_variances();
  [[nodiscard]] double calibration_noise(Index i) const {
    return gp::noise_of(known_noise_, training_ + i, noise_variance_);
  }
  double value_and_variance_slopes();
  void fill_weights();

  gp::KernelHandle kernel_;
  double noise_variance_;
  const gp::Inputs& points_;
  gp::KnownNoise known_noise_;
  std::vector<double> residuals_;
  double level_;
  SharpOptions::Quantile quantile_rule_;
  Index calibration_;  // number of calibration points
  Index training_;     // number of training points
  double multiplier_ = 0.0;
  int evaluations_ = 0;

  numeric::Cholesky cholesky_;  // of the training points, with the calibration points as rows below
  gp::KernelSlopes slopes_;
  std::vector<double> variances_;        // sigma_i^2
  std::vector<double> ratios_;           // r_i / sigma_i
  std::vector<double> variance_slopes_;  // c_i = dF / d sigma_i^2
  gp::PaddedMatrix U_;                   // L^{-T}
  gp::PaddedMatrix W_;                   // column i is A^{-1} k(x_i)
  gp::PaddedMatrix M_;                   // dF = sum_ij M_ij dK_ij
  Vector row_;                           // one row below the factor
  Vector column_;                        // A^{-1} k of that row
};

}  // namespace oscbo::learners
