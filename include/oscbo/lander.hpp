// File: oscbo/lander.hpp
//
// The lunar lander behind the tasks lunar12 and lunar12-quick, flight by flight.
//
//   const auto flights = oscbo::lander::fly_terrains(weights, oscbo::lander::kTerrains);
//   const double value = oscbo::lander::mean_return(flights);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
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

struct DrawnFlights {
  std::vector<Flight> flights;
  std::string svg;
};

/// draw_flights flies as fly_terrains does and draws the terrains in a grid: the ground, the pad,
/// the path of the hull in the colour of the outcome, and the craft where it ended. Throws Error
/// (invalid_value) unless there are 12 finite weights and a terrain.
[[nodiscard]] DrawnFlights draw_flights(std::span<const double> weights, std::size_t count);

/// A long search for good weights: independent local searches of at most 1500 evaluations each.
struct SearchPlan {
  std::vector<double> start = hand_written_weights();  // of the first search, in the box
  std::size_t terrains = kTerrains;
  int evaluations = 4500;  // of all searches together
  std::uint64_t seed = 0;
  int jobs = 1;  // worker threads; never changes a result
};

struct SearchResult {
  bool random_start = false;  // at the best of 50 random points; otherwise at the plan's start
  int evaluations = 0;
  double start_value = 0.0;
  double value = 0.0;
  std::vector<double> weights = {};
};

/// check_start throws as check_weights does, and for a weight outside the box of the task.
void check_start(std::span<const double> start, std::string_view field);

/// search_weights returns what each search found, in the order of the searches. `progress` is
/// called with finished and total evaluations, one call at a time. When `stop` becomes true, the
/// searches end with fewer evaluations, and those that have none are left out. Throws Error
/// (invalid_value) for a start outside the box, and for numbers that are not positive.
[[nodiscard]] std::vector<SearchResult> search_weights(
    const SearchPlan& plan, const std::function<void(int, int)>& progress = {},
    const std::atomic<bool>* stop = nullptr);

}  // namespace oscbo::lander
