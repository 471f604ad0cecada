#include "numeric/simplex.hpp"

#include <algorithm>
#include <cmath>

namespace oscbo::numeric {

void simplex_point(std::span<const double> uniforms, double sum, std::span<double> out) {
  double left = sum;
  for (std::size_t i = 0; i < uniforms.size(); ++i) {
    const double rest =
        left * std::pow(uniforms[i], 1.0 / static_cast<double>(uniforms.size() - i));
    out[i] = left - rest;
    left = rest;
  }
  out.back() = left;
}

std::optional<SimplexProduct> SimplexProduct::of(const Polytope& polytope) {
  const bool has_inequalities = polytope.rows().b.size() > 2 * polytope.dimension();
  if (polytope.is_empty() || has_inequalities) return std::nullopt;
  SimplexProduct product(polytope);
  for (Index row = 0; row < polytope.rows().e.size(); ++row) {
    if (!product.add_simplex(polytope, row)) return std::nullopt;
  }
  return product;
}

SimplexProduct::SimplexProduct(const Polytope& polytope)
    : lower_(polytope.lower()), upper_(polytope.upper()), edges_(upper_ - lower_) {
  for (Index i = 0; i < lower_.size(); ++i) intervals_.push_back(i);
}

// The row is sum_i a_i (x_i - lower_i) = e - a^T lower. If all other variables are at their lower
// bounds, x_i - lower_i is the edge (e - a^T lower) / a_i.
bool SimplexProduct::add_simplex(const Polytope& polytope, Index row) {
  const Vector a = polytope.rows().E.row(row).transpose();
  const double rest = polytope.rows().e[row] - a.dot(lower_);
  std::vector<Index> members;
  for (Index i = 0; i < a.size(); ++i) {
    if (a[i] == 0.0) continue;
    const auto place = std::find(intervals_.begin(), intervals_.end(), i);
    const double edge = rest / a[i];
    const double slack = Polytope::kTolerance * (std::abs(lower_[i]) + std::abs(upper_[i]));
    const bool is_taken = place == intervals_.end();
    const bool changes_sign = !members.empty() && a[i] * a[members.front()] < 0.0;
    const bool is_cut = !(edge >= 0.0) || lower_[i] + edge > upper_[i] + slack;
    if (is_taken || changes_sign || is_cut) return false;
    intervals_.erase(place);
    edges_[i] = edge;
    members.push_back(i);
  }
  if (!members.empty()) simplices_.push_back(std::move(members));
  return true;
}

std::size_t SimplexProduct::uniforms() const {
  std::size_t count = intervals_.size();
  for (const std::vector<Index>& members : simplices_) count += members.size() - 1;
  return count;
}

Vector SimplexProduct::point(std::span<const double> uniforms) const {
  Vector x = lower_;
  std::vector<double> shares;
  for (const std::vector<Index>& members : simplices_) {
    shares.resize(members.size());
    simplex_point(uniforms.first(members.size() - 1), 1.0, shares);
    uniforms = uniforms.subspan(members.size() - 1);
    for (std::size_t k = 0; k < members.size(); ++k)
      x[members[k]] += edges_[members[k]] * shares[k];
  }
  for (std::size_t k = 0; k < intervals_.size(); ++k) {
    x[intervals_[k]] += edges_[intervals_[k]] * uniforms[k];
  }
  return x.cwiseMin(upper_);
}

}  // namespace oscbo::numeric
