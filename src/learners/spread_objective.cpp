#include "learners/spread_objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gp/posterior.hpp"
#include "learners/sharp_options.hpp"
#include "numeric/triangular_product.hpp"

namespace oscbo::learners {

using gp::PaddedMatrix;
using numeric::kLanes;
using numeric::Packet;
using numeric::packet_at;
using numeric::round_down_to_lanes;
using numeric::round_up_to_lanes;

CalibratedBand::CalibratedBand(std::vector<double> residuals, double level,
                               SharpOptions::Quantile quantile_rule)
    : residuals_(std::move(residuals)),
      level_(level),
      quantile_rule_(quantile_rule),
      variances_(residuals_.size()),
      ratios_(residuals_.size()),
      slopes_(residuals_.size()) {}

// With S = mean_i sigma_i^2, F = beta^2 S and
//
//   c_i = dF/d sigma_i^2 = beta^2 / m + 2 beta S dbeta/d sigma_i^2,
//
// where beta is a combination of two ratios, sum_q weight_q r_q / sigma_q. So only these two have a
// nonzero dbeta/d sigma_q^2 = -weight_q r_q / (2 sigma_q^3).
double CalibratedBand::value_and_slopes() {
  double sum = 0.0;
  for (std::size_t i = 0; i < residuals_.size(); ++i) {
    ratios_[i] = residuals_[i] / std::sqrt(variances_[i]);
    sum += variances_[i];
  }
  const numeric::QuantileEntries quantile = quantile_rule_ == SharpOptions::Quantile::linear
                                                ? numeric::linear_quantile(ratios_, level_)
                                                : numeric::conformal_quantile(ratios_, level_);
  multiplier_ = quantile.of(ratios_);
  const auto count = static_cast<double>(residuals_.size());
  const double mean = sum / count;
  const double square = multiplier_ * multiplier_;

  slopes_.assign(residuals_.size(), square / count);
  const auto add_slope_of_ratio = [&](std::size_t q, double weight) {
    slopes_[q] -= multiplier_ * mean * weight * ratios_[q] / variances_[q];
  };
  add_slope_of_ratio(quantile.lower, 1.0 - quantile.upper_weight);
  add_slope_of_ratio(quantile.upper, quantile.upper_weight);
  return square * mean;
}

SpreadWeights::SpreadWeights(Index training)
    : training_(training),
      row_(Vector::Zero(round_up_to_lanes(training))),
      column_(Vector::Zero(round_up_to_lanes(training))) {}

// d sigma_i^2 = dk(x_i, x_i) - 2 w_i^T dk(x_i) + w_i^T dA w_i with w_i = A^{-1} k(x_i). After
// summation with the c_i, and with off-diagonal terms split between the two triangles, the weights
// are
//
//   M = [ sum_i c_i w_i w_i^T   .       ]   (training)
//       [ -c_i w_i^T            diag(c) ]   (calibration).
void SpreadWeights::fill(const numeric::Cholesky& cholesky, std::span<const double> slopes) {
  const auto calibration = static_cast<Index>(slopes.size());
  solve_for_calibration(cholesky, calibration);
  M_.resize(training_ + calibration, training_ + calibration);
  M_.set_zero();
  for (Index i = 0; i < calibration; ++i) {
    const double c = slopes[static_cast<std::size_t>(i)];
    for (Index j = 0; j < training_; ++j) {
      const double factor = c * W_(j, i);
      for (Index k = round_down_to_lanes(j); k < training_; k += kLanes) {
        packet_at(M_.column(j) + k) += factor * packet_at(W_.column(i) + k);
      }
    }
  }
  for (Index i = 0; i < calibration; ++i) {
    const double c = slopes[static_cast<std::size_t>(i)];
    for (Index j = 0; j < training_; ++j) M_(training_ + i, j) = -c * W_(j, i);
    M_(training_ + i, training_ + i) = c;
  }
}

/// Computes the columns w_i of W.
void SpreadWeights::solve_for_calibration(const numeric::Cholesky& cholesky, Index calibration) {
  cholesky.inverse_transposed(U_);
  W_.resize(training_, calibration);
  for (Index i = 0; i < calibration; ++i) {
    for (Index j = 0; j < training_; ++j) row_[j] = cholesky.L()(training_ + i, j);
    upper_times(U_, training_, row_, column_);
    std::copy_n(column_.data(), column_.size(), W_.column(i));
  }
}

double SpreadWeights::contract(const PaddedMatrix& W, PaddedMatrix* product) const {
  const Index n = M_.columns();
  Packet total{};
  for (Index j = 0; j < n; ++j) {
    for (Index i = round_down_to_lanes(j); i < round_up_to_lanes(n); i += kLanes) {
      const Packet weighted = packet_at(M_.column(j) + i) * packet_at(W.column(j) + i);
      total += weighted;
      if (product != nullptr) packet_at(product->column(j) + i) = weighted;
    }
  }
  return numeric::sum_of_lanes(total);
}

SpreadObjective::SpreadObjective(gp::KernelHandle kernel, double noise_variance,
                                 const gp::Inputs& points, std::vector<double> residuals,
                                 double delta, SharpOptions::Quantile quantile_rule,
                                 gp::KnownNoise known_noise)
    : kernel_(std::move(kernel)),
      split_{.points = points,
             .noise_variance = noise_variance,
             .known_noise = known_noise,
             .training = points.size() - static_cast<Index>(residuals.size()),
             .calibration = static_cast<Index>(residuals.size())},
      band_(std::move(residuals), 1.0 - delta, quantile_rule),
      weights_(split_.training) {}

// The storage holds the whole matrix over training and calibration points, but only the training
// part is factorized. So the rows below become (L^{-1} k(x_i))^T, and the diagonal entries k(x_i,
// x_i) of the calibration points remain unchanged.
bool SpreadObjective::factorize(const Vector& theta) {
  const auto fill = [&](PaddedMatrix& A) {
    A.resize(split_.points.size(), split_.points.size());
    kernel_->matrix_with_slopes(split_.points, theta, A, slopes_);
    for (Index j = 0; j < split_.training; ++j) A(j, j) += split_.training_noise(j);
  };
  ++evaluations_;
  return factorize_with_jitter(cholesky_, split_.training, fill).ok;
}

void SpreadObjective::compute_variances() {
  const PaddedMatrix& L = cholesky_.L();
  const Index training = split_.training;
  for (Index i = 0; i < split_.calibration; ++i) {
    double latent = L(training + i, training + i);
    for (Index j = 0; j < training; ++j) latent -= L(training + i, j) * L(training + i, j);
    band_.variances()[static_cast<std::size_t>(i)] =
        std::max(latent, gp::kMinimumVariance) + split_.calibration_noise(i);
  }
}

/// A variance at its lower limit does not change with theta, so its slope is zero.
double SpreadObjective::value_and_variance_slopes() {
  const double value = band_.value_and_slopes();
  for (Index i = 0; i < split_.calibration; ++i) {
    const double smallest = gp::kMinimumVariance + split_.calibration_noise(i);
    const auto entry = static_cast<std::size_t>(i);
    if (band_.variances()[entry] <= smallest) band_.slopes()[entry] = 0.0;
  }
  return value;
}

double SpreadObjective::value_and_gradient(const Vector& theta, Vector& gradient) {
  if (!factorize(theta)) {
    gradient.setZero();
    return std::numeric_limits<double>::infinity();
  }
  compute_variances();
  const double value = value_and_variance_slopes();
  weights_.fill(cholesky_, band_.slopes());
  kernel_->theta_gradient(
      split_.points, theta, slopes_,
      [this](const PaddedMatrix& W, PaddedMatrix* product) {
        return weights_.contract(W, product);
      },
      gradient);
  return value;
}

}  // namespace oscbo::learners
