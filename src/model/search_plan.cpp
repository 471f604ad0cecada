#include "model/search_plan.hpp"

#include <algorithm>

namespace oscbo::model {

bool SearchPlan::excludes(std::span<const double> x) const {
  return std::any_of(excluded.begin(), excluded.end(),
                     [&](const auto& hill) { return hill->contains(x); });
}

bool SearchPlan::contains(const gp::Layout& layout, std::span<const double> x) const {
  constexpr double kRounding = 1e-9;
  for (Index p = 0; p < lower.size(); ++p) {
    if (!layout[p].is_plain()) continue;
    const double value = x[static_cast<std::size_t>(layout[p].first)];
    if (value < lower[p] - kRounding || value > upper[p] + kRounding) return false;
  }
  return !excludes(x);
}

}  // namespace oscbo::model
