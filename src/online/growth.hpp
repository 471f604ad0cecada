// Growth functions g(t) for the rules that shorten their lengthscale by a schedule. At time t the
// shortest lengthscale to consider is 1 / g(t) times the first one.
#pragma once

#include <algorithm>
#include <cmath>

#include "online/schedule_options.hpp"

namespace oscbo::online {

/// schedule_growth returns g(t) of A-GP-UCB:
///
///   step    1 up to t = 5, then sqrt(t)
///   power   max(c, t^a), where c is growth_constant and a is growth_exponent
///   fast    max(1, t^0.9)
[[nodiscard]] inline double schedule_growth(const ScheduleOptions& config, double t) {
  constexpr double kLastRoundWithoutGrowth = 5.0;
  switch (config.growth) {
    case ScheduleOptions::Growth::step: return t <= kLastRoundWithoutGrowth ? 1.0 : std::sqrt(t);
    case ScheduleOptions::Growth::power:
      return std::max(config.growth_constant, std::pow(t, config.growth_exponent));
    case ScheduleOptions::Growth::fast: break;
  }
  return std::max(1.0, std::pow(t, 0.9));
}

/// balancing_growth returns g(t) of LB-GP-UCB: 1 up to t = t0, then max(t0, sqrt(t)),
/// where t0 is `start_rounds`.
[[nodiscard]] inline double balancing_growth(double start_rounds, double t) {
  return t <= start_rounds ? 1.0 : std::max(start_rounds, std::sqrt(t));
}

/// inflated_norm returns norm * factor^exponent, the bound on a function's norm after the kernel's
/// lengthscale has been divided by `factor`. The result is capped, so that sums of its products
/// with standard deviations stay finite in any dimension.
[[nodiscard]] inline double inflated_norm(double norm, double factor, double exponent) {
  constexpr double kLargestNorm = 1e150;
  return std::min(norm * std::pow(factor, exponent), kLargestNorm);
}

}  // namespace oscbo::online
