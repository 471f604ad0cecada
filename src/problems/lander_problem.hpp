// The tasks lunar12 and lunar12-quick: the mean return of the lander's controller over fixed
// terrains, as a function of its twelve weights.
#pragma once

#include <cstddef>
#include <string>

#include "problems/functions.hpp"
#include "problems/lander.hpp"

namespace oscbo::lander {

inline constexpr double kTaskPush = 1500.0;  // newtons; 1000 in the published simulation

/// terrain_draws returns the draws of the episode on this terrain, from the stream with this seed.
[[nodiscard]] UniformDraws terrain_draws(std::size_t terrain);

/// flight_of returns the summary of an episode on this terrain.
[[nodiscard]] Flight flight_of(std::size_t terrain, const Episode& episode);

/// lunar12 and lunar12_quick return the mean return on the terrains 0 .. 49 and 0 .. 9. They throw
/// Error (invalid_value) unless x holds 12 finite weights.
[[nodiscard]] double lunar12(functions::Point x);
[[nodiscard]] double lunar12_quick(functions::Point x);

/// lunar12_optimum and lunar12_quick_optimum return the best known values and weights.
/// docs/lander.md says how they were found. Better ones may exist.
[[nodiscard]] functions::Optimum lunar12_optimum(std::size_t dimension);
[[nodiscard]] functions::Optimum lunar12_quick_optimum(std::size_t dimension);

/// source identifies everything besides the task's name that the rows of an experiment depend on:
/// the reference value of the regrets, and the version of the physics engine.
[[nodiscard]] std::string source(double reference);

}  // namespace oscbo::lander
