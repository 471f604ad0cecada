// Noise that is known for single observations. For example, a mean of repetitions has its own
// variance. An observation without known noise has the noise variance of the model.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "gp/numeric_names.hpp"

namespace oscbo::gp {

/// The noise variance of each observation, NaN if it is unknown. Empty if all are unknown.
using KnownNoise = std::span<const double>;

/// is_known tells whether the noise of observation j is known.
[[nodiscard]] inline bool is_known(KnownNoise known, Index j) {
  return !known.empty() && !std::isnan(known[static_cast<std::size_t>(j)]);
}

/// The noise of an exact observation, in units of the prior variance. It keeps the rows of the
/// kernel matrix with noise linearly independent.
inline constexpr double kSmallestKnownNoise = 1e-10;

/// noise_of returns the noise variance of observation j in a model of y / scale: the known variance
/// divided by scale^2, or `otherwise` if it is unknown.
[[nodiscard]] inline double noise_of(KnownNoise known, Index j, double otherwise,
                                     double scale = 1.0) {
  if (!is_known(known, j)) return otherwise;
  return std::max(known[static_cast<std::size_t>(j)] / (scale * scale), kSmallestKnownNoise);
}

/// noise_in_units converts the noise variances of y to those of y / scale.
[[nodiscard]] inline std::vector<double> noise_in_units(KnownNoise known, double scale) {
  std::vector<double> noise(known.begin(), known.end());
  for (double& variance : noise) variance /= scale * scale;
  return noise;
}

/// Sums over the noise of n observations. `unknown` is the number of observations without known
/// noise, so that sum_j log s2_j = unknown * log s2 + known_logarithms, where s2_j is the noise
/// variance of observation j and s2 that of the model.
struct NoiseLogarithms {
  NoiseLogarithms(KnownNoise known, Index n) {
    for (Index j = 0; j < n; ++j) {
      if (is_known(known, j)) {
        known_logarithms += std::log(noise_of(known, j, 1.0));
      } else {
        unknown += 1.0;
      }
    }
  }

  double unknown = 0.0;
  double known_logarithms = 0.0;
};

}  // namespace oscbo::gp
