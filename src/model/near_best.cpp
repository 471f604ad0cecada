#include "model/near_best.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace oscbo::model {
namespace {

/// add_squares adds |x_p - x'_p|^2 / l^2 for each point x, where x' is the best point.
void add_squares(const gp::PaddedMatrix& X, Index best, const gp::Layout::Parameter& p, double l,
                 Vector& squares) {
  for (Index k = p.first; k < p.end(); ++k) {
    for (Index i = 0; i < squares.size(); ++i) {
      const double difference = X(i, k) - X(best, k);
      const bool is_other = p.is_categorical && difference != 0.0;
      squares[i] += std::pow((is_other ? 1.0 : difference) / l, 2);
    }
  }
}

}  // namespace

std::vector<Index> points_near_best(const learners::Observations& observations,
                                    const gp::Layout& layout, const Vector& lengthscales,
                                    bool looks_far) {
  constexpr Index kMostPoints = 200;
  const Index n = observations.inputs.size();
  const Index nearest = std::max(2 * layout.parameters() + 5, std::min(3 * n / 10, kMostPoints));
  const Index count = std::min(n, looks_far ? 2 * nearest : nearest);
  Index best = 0;
  observations.y.maxCoeff(&best);
  if (observations.best) best = *observations.best;
  Vector squares = Vector::Zero(n);
  for (Index p = 0; p < layout.parameters(); ++p) {
    add_squares(observations.inputs.X(), best, layout[p], lengthscales[p], squares);
  }
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return squares[a] < squares[b]; });
  order.resize(static_cast<std::size_t>(count));
  return order;
}

void stay_among(const std::vector<Index>& points, const gp::Inputs& inputs,
                const gp::Layout& layout, SearchPlan& plan) {
  constexpr double kMargin = 0.1;
  constexpr double kSmallestMargin = 1e-9;
  const gp::PaddedMatrix& X = inputs.X();
  plan.lower = Vector::Zero(layout.parameters());
  plan.upper = Vector::Ones(layout.parameters());
  for (Index p = 0; p < layout.parameters(); ++p) {
    if (!layout[p].is_plain()) continue;
    const Index k = layout[p].first;
    const auto [low, high] = std::minmax_element(
        points.begin(), points.end(), [&](Index a, Index b) { return X(a, k) < X(b, k); });
    const double margin = kMargin * (X(*high, k) - X(*low, k)) + kSmallestMargin;
    plan.lower[p] = std::max(0.0, X(*low, k) - margin);
    plan.upper[p] = std::min(1.0, X(*high, k) + margin);
  }
}

}  // namespace oscbo::model
