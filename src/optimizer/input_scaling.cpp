#include "optimizer/input_scaling.hpp"

#include <algorithm>

namespace oscbo {

using numeric::Index;
using numeric::Vector;

InputScaling InputScaling::identity(Index dimension) {
  return {.offset = Vector::Zero(dimension), .range = Vector::Ones(dimension)};
}

InputScaling InputScaling::of(const std::vector<std::vector<double>>& points,
                              const gp::Layout& layout) {
  const auto dimension = static_cast<Index>(points.front().size());
  InputScaling scaling = identity(dimension);
  for (Index p = 0; p < layout.parameters(); ++p) {
    if (!layout[p].is_plain()) continue;
    const Index k = layout[p].first;
    const auto by_coordinate = [k](const auto& a, const auto& b) {
      return a[static_cast<std::size_t>(k)] < b[static_cast<std::size_t>(k)];
    };
    const auto [low, high] = std::minmax_element(points.begin(), points.end(), by_coordinate);
    const double lowest = (*low)[static_cast<std::size_t>(k)];
    const double range = (*high)[static_cast<std::size_t>(k)] - lowest;
    if (range <= 1e-14) continue;  // all values are equal, so there is no scale to learn
    scaling.offset[k] = lowest;
    scaling.range[k] = range;
  }
  return scaling;
}

std::vector<double> InputScaling::to_model(std::vector<double> unit) const {
  for (std::size_t k = 0; k < unit.size(); ++k) {
    unit[k] = (unit[k] - offset[static_cast<Index>(k)]) / range[static_cast<Index>(k)];
  }
  return unit;
}

std::vector<double> InputScaling::to_unit(const Vector& model) const {
  std::vector<double> unit(static_cast<std::size_t>(model.size()));
  for (Index k = 0; k < model.size(); ++k) {
    unit[static_cast<std::size_t>(k)] = std::clamp(offset[k] + range[k] * model[k], 0.0, 1.0);
  }
  return unit;
}

acquisition::SearchBox InputScaling::search_box() const {
  return {.lower = -offset.cwiseQuotient(range),
          .upper = (Vector::Ones(offset.size()) - offset).cwiseQuotient(range)};
}

}  // namespace oscbo
