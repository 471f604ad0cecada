#include "optimizer/standardizer.hpp"

#include <algorithm>
#include <cmath>

namespace oscbo {

Standardizer Standardizer::of(std::span<const double> y) {
  constexpr double kEqualToRounding = 1e-14;
  Standardizer result;
  double largest = 0.0;
  for (const double value : y) largest = std::max(largest, std::abs(value));
  if (largest == 0.0) return result;
  result.scale = largest;

  const auto n = static_cast<double>(y.size());
  for (const double value : y) result.mean += value / largest / n;
  if (y.size() == 1) return result;

  double squares = 0.0;
  for (const double value : y) {
    const double deviation = value / largest - result.mean;
    squares += deviation * deviation;
  }
  const double sd = std::sqrt(squares / (n - 1.0));
  if (sd > kEqualToRounding) result.sd = sd;
  return result;
}

}  // namespace oscbo
