#include "optimizer/wilson_interval.hpp"

#include <algorithm>
#include <cmath>

namespace oscbo {
namespace {

constexpr double kNormalQuantile975 = 1.959963984540054;

}  // namespace

FractionInterval wilson_interval(int hits, int trials) {
  if (trials == 0) return {};
  const double count = trials;
  const double fraction = hits / count;
  const double z2 = kNormalQuantile975 * kNormalQuantile975;
  const double centre = (fraction + z2 / (2.0 * count)) / (1.0 + z2 / count);
  const double half = kNormalQuantile975 / (1.0 + z2 / count) *
                      std::sqrt(fraction * (1.0 - fraction) / count + z2 / (4.0 * count * count));
  return {.lower = std::max(0.0, centre - half), .upper = std::min(1.0, centre + half)};
}

}  // namespace oscbo
