// The function that the method scgp minimises over the lengthscales theta of its second Gaussian
// process, which provides only the spread:
//
//   F(theta) = mean_i (beta(theta) sigma_i(theta))^2,   beta = quantile_{1-delta} of r_i / sigma_i.
//
// The index i runs over the calibration points, which the first process has not seen. r_i is the
// (signed) residual of its mean there, and sigma_i^2 = k(x_i, x_i) - |L^{-1} k(x_i)|^2 + s2_i is
// the variance of the second process given the training points, including noise. L is the Cholesky
// factor of A, the kernel matrix of the training points with their noise. The smaller F, the
// narrower the one-sided band that covers a fraction 1 - delta of the calibration points.
#pragma once

#include <span>
#include <vector>

#include "gp/kernel.hpp"
#include "gp/known_noise.hpp"
#include "learners/sharp_options.hpp"
#include "numeric/cholesky.hpp"
#include "numeric/quantile.hpp"

namespace oscbo::learners {

using gp::Index;
using gp::Vector;

/// The points of both sets: the training points, followed by the calibration points. Points and
/// noise are held by reference.
struct SplitPoints {
  const gp::Inputs& points;
  double noise_variance;
  gp::KnownNoise known_noise;
  Index training;     // number of training points
  Index calibration;  // number of calibration points

  [[nodiscard]] double training_noise(Index j) const {
    return gp::noise_of(known_noise, j, noise_variance);
  }
  [[nodiscard]] double calibration_noise(Index i) const { return training_noise(training + i); }
};

/// The one-sided band around a mean, just wide enough to cover a given fraction of the residuals.
/// It is a function of the variances at the calibration points.
class CalibratedBand {
 public:
  CalibratedBand(std::vector<double> residuals, double level, SharpOptions::Quantile quantile_rule);

  /// variances returns sigma_i^2, to be set before value_and_slopes.
  [[nodiscard]] std::vector<double>& variances() { return variances_; }

  /// value_and_slopes returns F and computes the slopes c_i = dF / d sigma_i^2.
  double value_and_slopes();

  /// slopes returns the c_i. The caller sets c_i to 0 where sigma_i^2 does not depend on theta.
  [[nodiscard]] std::vector<double>& slopes() { return slopes_; }

  /// multiplier returns beta.
  [[nodiscard]] double multiplier() const { return multiplier_; }

 private:
  std::vector<double> residuals_;
  double level_;
  SharpOptions::Quantile quantile_rule_;
  double multiplier_ = 0.0;
  std::vector<double> variances_;  // sigma_i^2
  std::vector<double> ratios_;     // r_i / sigma_i
  std::vector<double> slopes_;     // c_i
};

/// The weights M in dF = sum_ij M_ij dK_ij, where K is the kernel matrix of all points. M is
/// symmetric, and only its lower triangle is used.
class SpreadWeights {
 public:
  explicit SpreadWeights(Index training);

  /// fill computes the weights from the slopes c_i and from `cholesky`, which holds the factor of
  /// the training points and, below it, the rows (L^{-1} k(x_i))^T of the calibration points.
  void fill(const numeric::Cholesky& cholesky, std::span<const double> slopes);

  /// contract returns sum_{i >= j} M_ij W_ij for any W (gp::Contraction).
  double contract(const gp::PaddedMatrix& W, gp::PaddedMatrix* product) const;

 private:
  void solve_for_calibration(const numeric::Cholesky& cholesky, Index calibration);

  Index training_;
  gp::PaddedMatrix U_;  // L^{-T}
  gp::PaddedMatrix W_;  // column i is A^{-1} k(x_i)
  gp::PaddedMatrix M_;
  Vector row_;     // one row below the factor
  Vector column_;  // A^{-1} k of that row
};

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
  [[nodiscard]] double multiplier() const { return band_.multiplier(); }

  /// evaluations counts factorizations since construction.
  [[nodiscard]] int evaluations() const { return evaluations_; }

 private:
  bool factorize(const Vector& theta);
  void compute_variances();
  double value_and_variance_slopes();

  gp::KernelHandle kernel_;
  SplitPoints split_;
  CalibratedBand band_;
  int evaluations_ = 0;

  numeric::Cholesky cholesky_;  // of the training points, with the calibration points as rows below
  gp::KernelSlopes slopes_;
  SpreadWeights weights_;
};

}  // namespace oscbo::learners
