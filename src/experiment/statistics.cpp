#include "experiment/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace oscbo::experiment {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) return kUndefined;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double geometric_mean(std::span<const double> values) {
  double logs = 0.0;
  for (const double value : values) logs += std::log(value);
  return values.empty() ? kUndefined : std::exp(logs / static_cast<double>(values.size()));
}

double standard_error(std::span<const double> values) {
  if (values.size() < 2) return kUndefined;
  const double centre = mean(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const auto count = static_cast<double>(values.size());
  return std::sqrt(squares / (count - 1.0) / count);
}

std::vector<double> ranks(std::span<const double> values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const double value : values) {
    const auto below = std::ranges::count_if(values, [&](double v) { return v < value; });
    const auto equal = std::ranges::count(values, value);
    // The tied values share the ranks below + 1 .. below + equal.
    result.push_back(static_cast<double>(below) + 0.5 * static_cast<double>(equal + 1));
  }
  return result;
}

double nominal_coverage(double beta) { return std::erf(std::sqrt(beta / 2.0)); }

}  // namespace oscbo::experiment
