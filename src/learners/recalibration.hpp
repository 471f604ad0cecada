// Computes the multiplier of the standard deviation from probability integral transforms. This is
// the part of the method ocbo (docs/methods.md) that does not need the Gaussian process.
//
// u_i = Phi((y_i - m_i) / s_i) is the position of observation y_i in its predictive distribution,
// which has the mean m_i and the standard deviation s_i. Phi is the standard normal distribution
// function. For calibrated predictions the u_i are uniform, and a fraction p of them is below p.
// Recalibration replaces p by the level q such that a fraction p of the u_i is below q.
#pragma once

#include <cstddef>
#include <span>

#include "learners/recalibration_options.hpp"

namespace oscbo::learners {

/// nominal_multiplier returns Phi^{-1}(1 - delta), the multiplier for a calibrated Gaussian.
[[nodiscard]] double nominal_multiplier(double delta);

/// probability_transform returns Phi((y - mean) / sd).
[[nodiscard]] double probability_transform(double y, double mean, double sd);

/// The smallest number of transforms for recalibration.
inline constexpr std::ptrdiff_t kFewestTransforms = 3;

/// calibrated_level returns q for p = 1 - delta, or p itself if there are too few transforms.
///
///   empirical    the p-quantile of the u_i, clamped to [1e-4, 1 - 1e-4]
///   sequential   starts at q = p and updates q for each u_i in order:
///                q <- q - rate (1{u_i <= q} - p), clamped to [1e-3, 1 - 1e-3]
[[nodiscard]] double calibrated_level(std::span<const double> transforms, double delta,
                                      const RecalibrationOptions& config);

/// recalibrated_multiplier returns Phi^{-1}(q), or sqrt(max(Phi^{-1}(q)^2, 0.1)) if sequential,
/// where q is the result of calibrated_level. The multiplier is at least the floor, if one is
/// configured.
[[nodiscard]] double recalibrated_multiplier(std::span<const double> transforms, double delta,
                                             const RecalibrationOptions& config);

}  // namespace oscbo::learners
