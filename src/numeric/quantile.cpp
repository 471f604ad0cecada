#include "numeric/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace oscbo::numeric {
namespace {

/// Returns the positions of the sample's entries in ascending order. Ties keep the order of the
/// sample.
std::vector<std::size_t> ascending_order(std::span<const double> sample) {
  std::vector<std::size_t> order(sample.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sample[a] < sample[b]; });
  return order;
}

}  // namespace

QuantileEntries linear_quantile(std::span<const double> sample, double p) {
  const std::vector<std::size_t> order = ascending_order(sample);
  const double position = p * static_cast<double>(sample.size() - 1);
  const double below = std::floor(position);
  const auto rank = static_cast<std::size_t>(below);
  return {.lower = order[rank],
          .upper = order[std::min(rank + 1, sample.size() - 1)],
          .upper_weight = position - below};
}

QuantileEntries conformal_quantile(std::span<const double> sample, double p) {
  constexpr double kRounding = 1e-9;  // 0.55 * 100 is above 55 in floating point
  const double wanted = std::ceil(p * static_cast<double>(sample.size() + 1) - kRounding);
  const double rank = std::clamp(wanted, 1.0, static_cast<double>(sample.size()));
  const std::size_t entry = ascending_order(sample)[static_cast<std::size_t>(rank) - 1];
  return {.lower = entry, .upper = entry};
}

}  // namespace oscbo::numeric
