// The tasks lunar12 and lunar12-quick: the mean return of the lander's controller over fixed
// terrains, as a function of its twelve weights.
#pragma once

#include <cstddef>
#include <string>

#include "problems/functions.hpp"
#include "problems/lander.hpp"

namespace oscbo::lander {

inline constexpr double kTaskPush = 1500.0;  // newton; 1000 in the simulation as it is published

/// terrain_draws returns the draws of the episode on this terrain: the stream of that seed.
[[nodiscard]] UniformDraws terrain_draws(std::size_t terrain);

/// flight_of returns what there is to say about an episode on this terrain.
[[nodiscard]] Flight flight_of(std::size_t terrain, const Episode& episode);

/// The mean return on the terrains 0 .. 49, or 0 .. 9. Throws Error (invalid_value) unless x is 12
/// finite weights.
[[nodiscard]] double lunar12(functions::Point x);
[[nodiscard]] double lunar12_quick(functions::Point x);

/// The best values and weights that are known; docs/lander.md says how they were found. Nothing
/// says that they are the best there are.
[[nodiscard]] functions::Optimum lunar12_optimum(std::size_t dimension);
[[nodiscard]] functions::Optimum lunar12_quick_optimum(std::size_t dimension);

/// source returns what the rows of an experiment depend on beside the task's name: the reference
/// value of its regrets, and the version of the physics.
[[nodiscard]] std::string source(double reference);

}  // namespace oscbo::lander
