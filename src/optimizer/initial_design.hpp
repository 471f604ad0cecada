// The points asked before there is a model.
#pragma once

#include <cstdint>
#include <vector>

#include "oscbo/config.hpp"

namespace oscbo {

/// initial_point returns point `index` of the initial design in the unit cube. It depends on seed,
/// law, dimension and index only, so every method starts from the same points. A Latin hypercube
/// has `points` strata; beyond them, and for the uniform law, points are independent draws.
[[nodiscard]] std::vector<double> initial_point(DesignLaw law, std::size_t dimension,
                                                std::size_t points, std::size_t index,
                                                std::uint64_t seed);

/// is_control returns whether points are chosen without looking at the observations.
[[nodiscard]] constexpr bool is_control(AcquisitionKind kind) {
  return kind == AcquisitionKind::random || kind == AcquisitionKind::sobol;
}

/// control_point returns point `index` of the methods without a model: the Sobol sequence of the
/// initial design continued, or independent uniform points.
[[nodiscard]] std::vector<double> control_point(AcquisitionKind kind, std::size_t dimension,
                                                std::size_t index, std::uint64_t seed);

}  // namespace oscbo
