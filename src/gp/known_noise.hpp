// Noise that is known observation by observation: a mean of repetitions, say, comes with a variance
// of its own. Where it is not known, the noise variance of the model stands.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "numeric/padded_matrix.hpp"

namespace oscbo::gp {

using numeric::Index;

/// The variance of each observation, not a number where it is not known. Empty where none is.
using KnownNoise = std::span<const double>;

/// is_known returns whether the noise of observation j is known.
[[nodiscard]] inline bool is_known(KnownNoise known, Index j) {
  return !known.empty() && !std::isnan(known[static_cast<std::size_t>(j)]);
}

/// What an exact observation has, so that its row of the matrix is apart from those of others; in
/// units of the prior variance.
inline constexpr double kSmallestKnownNoise = 1e-10;

/// noise_of returns the noise variance of observation j: the known one, of a model of y / scale, or
/// `otherwise`.
[[nodiscard]] inline double noise_of(KnownNoise known, Index j, double otherwise,
                                     double scale = 1.0) {
  if (!is_known(known, j)) return otherwise;
  return std::max(known[static_cast<std::size_t>(j)] / (scale * scale), kSmallestKnownNoise);
}

/// noise_in_units returns the noise of y as that of y / scale.
[[nodiscard]] inline std::vector<double> noise_in_units(KnownNoise known, double scale) {
  std::vector<double> noise(known.begin(), known.end());
  for (double& variance : noise) variance /= scale * scale;
  return noise;
}

/// What the noise of n observations adds up to: sum_j log s2_j = unknown log s2 + known_logarithms.
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
