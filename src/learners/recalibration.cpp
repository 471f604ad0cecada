#include "learners/recalibration.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "learners/recalibration_options.hpp"
#include "numeric/normal.hpp"
#include "numeric/quantile.hpp"

namespace oscbo::learners {

using numeric::normal_cdf;
using numeric::normal_quantile;

namespace {

double sequential_level(std::span<const double> transforms, double p, double rate, double margin) {
  double level = std::clamp(p, margin, 1.0 - margin);
  for (const double u : transforms) {
    const double covered = u <= level ? 1.0 : 0.0;
    level = std::clamp(level - rate * (covered - p), margin, 1.0 - margin);
  }
  return level;
}

}  // namespace

// Phi^{-1}(1 - delta) = -Phi^{-1}(delta). The right-hand side stays finite if 1 - delta rounds to
// 1.
double nominal_multiplier(double delta) { return -normal_quantile(delta); }

double probability_transform(double y, double mean, double sd) {
  return normal_cdf((y - mean) / sd);
}

double calibrated_level(std::span<const double> transforms, double delta,
                        const RecalibrationOptions& config) {
  const double p = 1.0 - delta;
  const bool sequential = config.kind == RecalibrationOptions::Kind::sequential;
  const double margin = sequential ? 1e-3 : 1e-4;
  const bool few = std::ssize(transforms) < kFewestTransforms;
  if (sequential && !few) return sequential_level(transforms, p, config.rate, margin);
  const double level = few ? p : numeric::linear_quantile(transforms, p).of(transforms);
  return std::clamp(level, margin, 1.0 - margin);
}

double recalibrated_multiplier(std::span<const double> transforms, double delta,
                               const RecalibrationOptions& config) {
  constexpr double kSmallestBeta = 0.1;
  double multiplier = normal_quantile(calibrated_level(transforms, delta, config));
  if (config.kind == RecalibrationOptions::Kind::sequential) {
    multiplier = std::sqrt(std::max(multiplier * multiplier, kSmallestBeta));
  }
  return config.floor ? std::max(multiplier, *config.floor) : multiplier;
}

}  // namespace oscbo::learners
