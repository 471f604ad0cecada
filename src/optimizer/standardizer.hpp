// The affine map between observations and the z-scores that the model sees.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace oscbo {

/// z = (y / scale - mean) / sd, where scale = max |y|. Working on y / scale keeps every step finite
/// for observations anywhere in the range of double, and makes the result independent of units.
struct Standardizer {
  double scale = 1.0;
  double mean = 0.0;  // of y / scale
  double sd = 1.0;    // of y / scale; 1 if there is one value or all are equal up to rounding

  /// `of` returns the map for y: its scale, and the mean and sample standard deviation (divisor
  /// n - 1) of y / scale.
  [[nodiscard]] static Standardizer of(std::span<const double> y);

  /// `then` returns the map from y to (z - location) / factor, where z = to_z(y).
  [[nodiscard]] Standardizer then(double location, double factor) const {
    return {.scale = scale, .mean = mean + location * sd, .sd = sd * factor};
  }

  [[nodiscard]] double to_z(double y) const { return (y / scale - mean) / sd; }
  /// from_z clamps to the range of double, because a model may predict values beyond it.
  [[nodiscard]] double from_z(double z) const { return within_range((z * sd + mean) * scale); }

  /// variance_to_z returns the variance of z if y has this variance.
  [[nodiscard]] double variance_to_z(double variance) const {
    const double sd_of_z = std::sqrt(variance) / scale / sd;
    return sd_of_z * sd_of_z;
  }

  /// length_from_z converts a length in z to the units of the observations.
  [[nodiscard]] double length_from_z(double length) const {
    return within_range(length * sd * scale);
  }

 private:
  [[nodiscard]] static double within_range(double value) {
    using Limits = std::numeric_limits<double>;
    return std::clamp(value, Limits::lowest(), Limits::max());
  }
};

}  // namespace oscbo
