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

namespace {

/// Returns sum_{i >= j} M_ij W_ij over the lower triangle of n columns (gp::Contraction).
double contract(const PaddedMatrix& M, Index n, const PaddedMatrix& W, PaddedMatrix* product) {
  Packet total{};
  for (Index j = 0; j < n; ++j) {
    for (Index i = round_down_to_lanes(j); i < round_up_to_lanes(n); i += kLanes) {
      const Packet weighted = packet_at(M.column(j) + i) * packet_at(W.column(j) + i);
      total += weighted;
      if (product != nullptr) packet_at(product->column(j) + i) = weighted;
    }
  }
  return numeric::sum_of_lanes(total);
}

}  // namespace

SpreadObjective::SpreadObjective(gp::KernelHandle kernel, double noise_variance,
                                 const gp::Inputs& points, std::vector<double> residuals,
                                 double delta, SharpOptions::Quantile quantile_rule,
                                 gp::KnownNoise known_noise)
    : kernel_(std::move(kernel)),
      noise_variance_(noise_variance),
      points_(points),
      known_noise_(known_noise),
      residuals_(std::move(residuals)),
      level_(1.0 - delta),
      quantile_rule_(quantile_rule),
      calibration_(static_cast<Index>(residuals_.size())),
      training_(points.size() - calibration_),
      variances_(residuals_.size()),
      ratios_(residuals_.size()),
      variance_slopes_(residuals_.size()),
      row_(Vector::Zero(round_up_to_lanes(training_))),
      column_(Vector::Zero(round_up_to_lanes(training_))) {}

// The storage holds the whole matrix over training and calibration points, but only the training
// part is factorized. So the rows below become (L^{-1} k(x_i))^T, and the diagonal entries k(x_i,
// x_i) of the calibration points remain unchanged.
bool SpreadObjective::factorize(const Vector& theta) {
  const auto fill = [&](PaddedMatrix& A) {
    A.resize(points_.size(), points_.size());
    kernel_->matrix_with_slopes(points_, theta, A, slopes_);
    for (Index j = 0; j < training_; ++j) A(j, j) += gp::noise_of(known_noise_, j, noise_variance_);
  };
  ++evaluations_;
  return factorize_with_jitter(cholesky_, training_, fill).ok;
}

void SpreadObjective::compute_variances() {
  const PaddedMatrix& L = cholesky_.L();
  for (Index i = 0; i < calibration_; ++i) {
    double latent = L(training_ + i, training_ + i);
    for (Index j = 0; j < training_; ++j) latent -= L(training_ + i, j) * L(training_ + i, j);
    variances_[static_cast<std::size_t>(i)] =
        std::max(latent, gp::kMinimumVariance) + calibration_noise(i);
  }
}

// With S = mean_i sigma_i^2, F = beta^2 S and
//
//   c_i = dF/d sigma_i^2 = beta^2 / m + 2 beta S dbeta/d sigma_i^2,
//
// where beta is a combination of two ratios, sum_q weight_q r_q / sigma_q. So only these two have a
// nonzero dbeta/d sigma_q^2 = -weight_q r_q / (2 sigma_q^3).
double SpreadObjective::value_and_variance_slopes() {
  double sum = 0.0;
  for (std::size_t i = 0; i < residuals_.size(); ++i) {
    ratios_[i] = residuals_[i] / std::sqrt(variances_[i]);
    sum += variances_[i];
  }
  const numeric::QuantileEntries quantile = quantile_rule_ == SharpOptions::Quantile::linear
                                                ? numeric::linear_quantile(ratios_, level_)
                                                : numeric::conformal_quantile(ratios_, level_);
  multiplier_ = quantile.of(ratios_);
  const double mean = sum / static_cast<double>(calibration_);
  const double square = multiplier_ * multiplier_;

  variance_slopes_.assign(residuals_.size(), square / static_cast<double>(calibration_));
  const auto add_slope_of_ratio = [&](std::size_t q, double weight) {
    variance_slopes_[q] -= multiplier_ * mean * weight * ratios_[q] / variances_[q];
  };
  add_slope_of_ratio(quantile.lower, 1.0 - quantile.upper_weight);
  add_slope_of_ratio(quantile.upper, quantile.upper_weight);
  for (std::size_t i = 0; i < residuals_.size(); ++i) {
    // A variance at its lower limit does not change with theta.
    const double smallest = gp::kMinimumVariance + calibration_noise(static_cast<Index>(i));
    if (variances_[i] <= smallest) variance_slopes_[i] = 0.0;
  }
  return square * mean;
}

// d sigma_i^2 = dk(x_i, x_i) - 2 w_i^T dk(x_i) + w_i^T dA w_i with w_i = A^{-1} k(x_i). After
// summation with the c_i, and with off-diagonal terms split between the two triangles, the weights
// are
//
//   M = [ sum_i c_i w_i w_i^T   .       ]   (training)
//       [ -c_i w_i^T            diag(c) ]   (calibration).
void SpreadObjective::fill_weights() {
  cholesky_.inverse_transposed(U_);
  W_.resize(training_, calibration_);
  for (Index i = 0; i < calibration_; ++i) {
    for (Index j = 0; j < training_; ++j) row_[j] = cholesky_.L()(training_ + i, j);
    upper_times(U_, training_, row_, column_);
    std::copy_n(column_.data(), column_.size(), W_.column(i));
  }

  M_.resize(points_.size(), points_.size());
  M_.set_zero();
  for (Index i = 0; i < calibration_; ++i) {
    const double c = variance_slopes_[static_cast<std::size_t>(i)];
    for (Index j = 0; j < training_; ++j) {
      const double factor = c * W_(j, i);
      for (Index k = round_down_to_lanes(j); k < training_; k += kLanes) {
        packet_at(M_.column(j) + k) += factor * packet_at(W_.column(i) + k);
      }
    }
  }
  for (Index i = 0; i < calibration_; ++i) {
    const double c = variance_slopes_[static_cast<std::size_t>(i)];
    for (Index j = 0; j < training_; ++j) M_(training_ + i, j) = -c * W_(j, i);
    M_(training_ + i, training_ + i) = c;
  }
}

double SpreadObjective::value_and_gradient(const Vector& theta, Vector& gradient) {
  if (!factorize(theta)) {
    gradient.setZero();
    return std::numeric_limits<double>::infinity();
  }
  compute_variances();
  const double value = value_and_variance_slopes();
  fill_weights();
  kernel_->theta_gradient(
      points_, theta, slopes_,
      [this](const PaddedMatrix& W, PaddedMatrix* product) {
        return contract(M_, points_.size(), W, product);
      },
      gradient);
  return value;
}

}  // namespace oscbo::learners
