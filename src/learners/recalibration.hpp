// From probability integral transforms to the multiplier of the standard deviation: the part of
// OCBO that does not need the Gaussian process.
//
// u_i = Phi((y_i - m_i) / s_i) is where observation i lies in the distribution that predicted it.
// For calibrated predictions the u_i are uniform and a fraction p of them is below p; the level q
// that a fraction p of them is below takes the place of p.
#pragma once

#include <cstddef>
#include <span>

#include "oscbo/config.hpp"

namespace oscbo::learners {

/// nominal_multiplier returns Phi^{-1}(1 - delta): that of a Gaussian which needs no recalibration.
[[nodiscard]] double nominal_multiplier(double delta);

/// probability_transform returns Phi((y - mean) / sd).
[[nodiscard]] double probability_transform(double y, double mean, double sd);

/// With fewer transforms there is no recalibration.
inline constexpr std::ptrdiff_t kFewestTransforms = 3;

/// calibrated_level returns q for p = 1 - delta; p itself when the transforms are too few.
///
///   empirical    the p-quantile of the u_i, kept within [1e-4, 1 - 1e-4]
///   sequential   from q = p, for each u_i in order:
///                q <- q - rate (1{u_i <= q} - p), kept within [1e-3, 1 - 1e-3]
[[nodiscard]] double calibrated_level(std::span<const double> transforms, double delta,
                                      const RecalibrationConfig& config);

/// recalibrated_multiplier returns Phi^{-1}(q), or sqrt(max(Phi^{-1}(q)^2, 0.1)) when sequential,
/// but not less than the floor.
[[nodiscard]] double recalibrated_multiplier(std::span<const double> transforms, double delta,
                                             const RecalibrationConfig& config);

}  // namespace oscbo::learners
