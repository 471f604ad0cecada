// File: oscbo/lander.hpp
//
// The lunar lander behind the tasks lunar12 and lunar12-quick, flight by flight.
//
//   const auto flights = oscbo::lander::fly_terrains(weights, oscbo::lander::kTerrains);
//   const double value = oscbo::lander::mean_return(flights);
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace oscbo::lander {

inline constexpr std::size_t kWeights = 12;   // of the controller, one per coordinate of a point
inline constexpr double kMaxWeight = 2.0;     // the tasks search [0, 2]^12
inline constexpr std::size_t kTerrains = 50;  // of the task lunar12
inline constexpr std::size_t kQuickTerrains = 10;  // of lunar12-quick, the first ones

/// How an episode ended.
enum class Landing {
  rested,     // on the ground, asleep
  crashed,    // the hull touched the ground
  left,       // flew out of the view sideways
  timed_out,  // neither within the limit of 1000 steps
};

/// to_string returns the outcome as tables show it, e.g. "rested".
[[nodiscard]] std::string_view to_string(Landing outcome) noexcept;

/// One terrain flown once.
struct Flight {
  std::size_t terrain = 0;
  Landing outcome = Landing::timed_out;
  int steps = 0;
  double reward = 0.0;
};

/// check_weights throws Error (invalid_value), with `field` or one entry of it as its field, unless
/// there are 12 finite weights.
void check_weights(std::span<const double> weights, std::string_view field);

/// fly_terrains flies the terrains 0 .. count-1. Throws Error (invalid_value) unless there are 12
/// finite weights.
[[nodiscard]] std::vector<Flight> fly_terrains(std::span<const double> weights, std::size_t count);

/// mean_return returns the mean reward of the flights: the value of the tasks. Requires one.
[[nodiscard]] double mean_return(std::span<const Flight> flights);

/// hand_written_weights returns those of the controller that comes with the simulation in OpenAI
/// Gym.
[[nodiscard]] std::vector<double> hand_written_weights();

/// best_known_weights returns the best weights that are known for lunar12; docs/lander.md says how
/// they were found.
[[nodiscard]] std::vector<double> best_known_weights();

}  // namespace oscbo::lander
