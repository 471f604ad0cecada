// File: oscbo/lander.hpp
//
// The lunar lander of the tasks lunar12 and lunar12-quick, flight by flight.
//
//   const auto flights = oscbo::lander::fly_terrains(weights, oscbo::lander::kTerrains);
//   const double value = oscbo::lander::mean_return(flights);
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace oscbo::lander {

inline constexpr std::size_t kWeights = 12;   // weights of the controller: the dimension of a point
inline constexpr double kMaxWeight = 2.0;     // the tasks search [0, 2]^12
inline constexpr std::size_t kTerrains = 50;  // terrains of the task lunar12
inline constexpr std::size_t kQuickTerrains = 10;  // lunar12-quick uses the first 10

/// How an episode ended.
enum class Landing {
  rested,     // came to rest on the ground
  crashed,    // the hull touched the ground
  left,       // flew out of the view sideways
  timed_out,  // did not end within 1000 steps
};

/// to_string returns the outcome as tables show it, e.g. "rested".
[[nodiscard]] std::string_view to_string(Landing outcome) noexcept;

/// The result of one episode on one terrain.
struct Flight {
  std::size_t terrain = 0;
  Landing outcome = Landing::timed_out;
  int steps = 0;
  double reward = 0.0;
};

/// check_weights throws Error (invalid_value) unless there are 12 finite weights. The error names
/// `field` or one of its entries.
void check_weights(std::span<const double> weights, std::string_view field);

/// fly_terrains flies the terrains 0 .. count-1. Throws Error (invalid_value) unless there are 12
/// finite weights.
[[nodiscard]] std::vector<Flight> fly_terrains(std::span<const double> weights, std::size_t count);

/// mean_return returns the mean reward of the flights. The value of a task is this mean over its
/// terrains. Requires at least one flight.
[[nodiscard]] double mean_return(std::span<const Flight> flights);

/// hand_written_weights returns the weights of the controller that comes with the simulation in
/// OpenAI Gym.
[[nodiscard]] std::vector<double> hand_written_weights();

/// best_known_weights returns the best known weights for lunar12. docs/lander.md says how they were
/// found.
[[nodiscard]] std::vector<double> best_known_weights();

}  // namespace oscbo::lander
