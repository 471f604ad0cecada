// The points asked before there is a model.
#pragma once

#include <cstdint>

#include "acquisition/acquisition_options.hpp"
#include "optimizer/data_options.hpp"
#include "space/point.hpp"

namespace oscbo {

/// initial_point returns point `index` of the initial design. The design does not depend on the
/// method, so every method starts from the same points. A Latin hypercube has `points` strata;
/// later points are independent draws, as with the uniform law.
[[nodiscard]] space::Uniforms initial_point(DataOptions::Design law, std::size_t dimension,
                                            std::size_t points, std::size_t index,
                                            std::uint64_t seed);

/// is_control returns whether the method chooses points without using the observations.
[[nodiscard]] constexpr bool is_control(acquisition::AcquisitionOptions::Kind kind) {
  return kind == acquisition::AcquisitionOptions::Kind::random ||
         kind == acquisition::AcquisitionOptions::Kind::sobol;
}

/// control_point returns point `index` of a method without a model: point `index` of the initial
/// design's Sobol sequence, or an independent uniform point.
[[nodiscard]] space::Uniforms control_point(acquisition::AcquisitionOptions::Kind kind,
                                            std::size_t dimension, std::size_t index,
                                            std::uint64_t seed);

}  // namespace oscbo
