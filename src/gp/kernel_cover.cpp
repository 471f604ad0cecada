#include "gp/kernel_cover.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gp/kernel_options.hpp"

namespace oscbo::gp {

// The supremum over u <= diameter/theta is a running maximum from the left. So one pass from the
// longest lengthscale (smallest u) to the shortest suffices. The grid is uniform in log(theta).
double kernel_path_length(const RadialProfile& profile, double theta_min, double theta_max,
                          double diameter) {
  constexpr int kSteps = 4096;
  constexpr double kFirst = 1e-4;  // psi(u) u^2 is negligible below this u
  const double shortest = std::log(theta_min);
  const double step = (std::log(theta_max) - shortest) / kSteps;
  const auto speed_at = [&](double u) {
    alignas(64) std::array<double, kLanes> distance{};
    alignas(64) std::array<double, kLanes> psi{};
    distance.fill(u);
    profile.evaluate(distance.data(), psi.data(), kLanes);
    return psi[0] * u * u;
  };

  double speed = 0.0;
  for (double u = kFirst; u < diameter / theta_max; u *= 1.0005)
    speed = std::max(speed, speed_at(u));
  double length = 0.0;
  for (int i = kSteps; i > 0; --i) {
    const double theta = std::exp(shortest + step * (i - 1));
    speed = std::max(speed, speed_at(diameter / theta));
    length += speed * step;  // at least the integral, because the speed never decreases
  }
  return length;
}

double log_covering_number(const KernelOptions& config, Index dimension, double theta_min,
                           double theta_max, double epsilon) {
  const auto d = static_cast<double>(dimension);
  const double diameter = config.ard ? 1.0 : std::sqrt(d);
  const double radius = config.ard ? epsilon / d : epsilon;
  const double length = kernel_path_length(make_profile(config), theta_min, theta_max, diameter);
  const double balls = std::max(std::ceil(length / (2.0 * radius)), 1.0);
  return (config.ard ? d : 1.0) * std::log(balls);
}

}  // namespace oscbo::gp
