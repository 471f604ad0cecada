#include "gp/information_gain.hpp"

#include <cmath>
#include <numbers>

#include "numeric/sobol.hpp"

namespace oscbo::gp {
namespace {

constexpr Index kCandidates = 512;

Inputs sobol_points(Index dimension) {
  Inputs points(dimension, kCandidates);
  numeric::ScrambledSobol sobol(static_cast<std::size_t>(dimension),
                                numeric::RandomStream(0, numeric::Purpose::information_gain));
  std::vector<double> x(static_cast<std::size_t>(dimension));
  for (Index i = 0; i < kCandidates; ++i) {
    sobol.next(x);
    points.append(x);
  }
  return points;
}

}  // namespace

InformationGain::InformationGain(KernelHandle kernel, Index dimension, double noise_variance,
                                 Vector theta)
    : kernel_(std::move(kernel)),
      noise_variance_(noise_variance),
      theta_(std::move(theta)),
      candidates_(sobol_points(dimension)),
      variances_(kCandidates),
      gains_{0.0} {
  kernel_->encode(candidates_, theta_, encoded_);
  for (Index p = 0; p < kCandidates; ++p) {
    variances_[p] = kernel_->variance(candidates_.point(p), theta_);
  }
  // All kernels here have a constant variance, or one that is largest at the corner (1, ..., 1).
  largest_variance_ =
      kernel_->variance(std::vector<double>(static_cast<std::size_t>(dimension), 1.0), theta_);
}

// The chosen point x adds log(1 + var(x)/s2) / 2. Then v_p = (k(p, x) - <row p, row x>) / pivot
// with pivot^2 = var(x) + s2, and var(p) decreases by v_p^2.
void InformationGain::extend() {
  Index chosen = 0;
  const double variance = std::max(variances_.maxCoeff(&chosen), 0.0);
  gains_.push_back(gains_.back() + 0.5 * std::log1p(variance / noise_variance_));

  Vector v(encoded_.padded_rows());
  kernel_->covariances(encoded_, candidates_.point(chosen), theta_, v.data(), nullptr);
  for (const Vector& column : columns_) v -= column[chosen] * column;
  v /= std::sqrt(variance + noise_variance_);
  variances_ -= v.head(kCandidates).cwiseAbs2();
  columns_.push_back(std::move(v));
}

double InformationGain::greedy(Index n) {
  while (static_cast<Index>(gains_.size()) <= n) extend();
  return gains_[static_cast<std::size_t>(n)];
}

double InformationGain::upper_bound(Index n) {
  const double independent =
      0.5 * static_cast<double>(n) * std::log1p(largest_variance_ / noise_variance_);
  return std::min(greedy(n) / (1.0 - 1.0 / std::numbers::e), independent);
}

}  // namespace oscbo::gp
