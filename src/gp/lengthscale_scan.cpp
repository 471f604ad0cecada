#include "gp/lengthscale_scan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace oscbo::gp {

namespace {

std::size_t start_of_row(Index row) { return static_cast<std::size_t>(row * (row + 1) / 2); }

/// Solves row `row` of the system L v = b, given the earlier entries of v: v_row = (b_row - sum_{m
/// < row} L_row,m v_m) / L_row,row. The sum is split into several partial sums that can be computed
/// in parallel.
Packet substitute(const Packet* factor_row, Index row, const Packet& b, const Packet* v) {
  constexpr std::size_t kSums = 4;
  std::array<Packet, kSums> sums{};
  const auto count = static_cast<std::size_t>(row);
  std::size_t m = 0;
  for (; m + kSums <= count; m += kSums) {
    for (std::size_t s = 0; s < kSums; ++s) sums[s] += factor_row[m + s] * v[m + s];
  }
  for (; m < count; ++m) sums[0] += factor_row[m] * v[m];
  return (b - ((sums[0] + sums[1]) + (sums[2] + sums[3]))) * factor_row[row];
}

}  // namespace

LengthscaleScan::LengthscaleScan(RadialProfile profile, double noise_variance,
                                 const Vector& lengthscales)
    : profile_(std::move(profile)), noise_variance_(noise_variance), lengthscales_(lengthscales) {
  for (Index first = 0; first < lengthscales.size(); first += kLanes) {
    Factors& factors = groups_.emplace_back();
    for (Index lane = 0; lane < kLanes; ++lane) {
      factors.lengthscales[lane] = lengthscales[std::min(first + lane, lengthscales.size() - 1)];
    }
    factors.smallest_pivot = Packet{} + diagonal();
  }
}

Vector LengthscaleScan::values(const Inputs& inputs, const Vector& y, const ObjectiveTerms& terms) {
  follow(inputs);
  z_.resize(points_.size());
  Vector values(lengthscales_.size());
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const Packet J = value_of(groups_[group], y, terms);
    const Index first = static_cast<Index>(group) * kLanes;
    for (Index lane = 0; lane < std::min(kLanes, values.size() - first); ++lane) {
      values[first + lane] = J[lane];
    }
  }
  return values;
}

/// Updates the factors to the points of `inputs`.
void LengthscaleScan::follow(const Inputs& inputs) {
  const auto known = static_cast<Index>(points_.size());
  bool continues = known <= inputs.size();
  for (Index i = 0; continues && i < known; ++i) {
    continues = points_[static_cast<std::size_t>(i)] == inputs.point(i);
  }
  if (!continues) {
    points_.clear();
    for (Factors& factors : groups_) {
      factors.rows.clear();
      factors.log_pivots.clear();
      factors.smallest_pivot = Packet{} + diagonal();
    }
  }
  for (auto row = static_cast<Index>(points_.size()); row < inputs.size(); ++row) {
    for (Factors& factors : groups_) append_row(factors, inputs, row);
    points_.push_back(inputs.point(row));
  }
}

void LengthscaleScan::append_row(Factors& factors, const Inputs& inputs, Index row) const {
  factors.rows.resize(start_of_row(row + 1));
  const Packet* const above = factors.rows.data();
  Packet* const entries = factors.rows.data() + start_of_row(row);
  for (Index j = 0; j < row; ++j) entries[j] = inputs.distance(row, j) / factors.lengthscales;
  if (row > 0) profile_.evaluate(reinterpret_cast<double*>(entries), nullptr, row * kLanes);

  Packet pivot = Packet{} + diagonal();
  for (Index j = 0; j < row; ++j) {
    entries[j] = substitute(above + start_of_row(j), j, entries[j], entries);
    pivot -= entries[j] * entries[j];
  }
  factors.smallest_pivot = pivot < factors.smallest_pivot ? pivot : factors.smallest_pivot;
  Packet log_pivot{};
  for (Index lane = 0; lane < kLanes; ++lane) {
    entries[row][lane] = 1.0 / std::sqrt(pivot[lane]);
    log_pivot[lane] = std::log(pivot[lane]);
  }
  factors.log_pivots.push_back(log_pivot);
}

Packet LengthscaleScan::value_of(const Factors& factors, const Vector& y,
                                 const ObjectiveTerms& terms) {
  Packet J = Packet{} + terms.constant;
  for (Index j = 0; j < static_cast<Index>(points_.size()); ++j) {
    Packet& z = z_[static_cast<std::size_t>(j)];
    z = substitute(factors.rows.data() + start_of_row(j), j, Packet{} + y[j], z_.data());
    const Packet magnitude = terms.exponent == 1.0 ? (z < 0.0 ? -z : z) : z * z;
    J += terms.log_pivot_weights[j] * factors.log_pivots[static_cast<std::size_t>(j)] +
         terms.residual_weights[j] * magnitude;
  }
  // The same criterion as in numeric::Cholesky.
  const double rounding =
      static_cast<double>(points_.size()) * std::numeric_limits<double>::epsilon() * diagonal();
  const Packet none = Packet{} + std::numeric_limits<double>::quiet_NaN();
  return factors.smallest_pivot > rounding ? J : none;
}

}  // namespace oscbo::gp
