// File: oscbo/lander.hpp
//
// The lunar lander of the tasks lunar12 and lunar12-quick, flight by flight.
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

inline constexpr std::size_t kWeights = 12;   // weights of the controller: the dimension of a point
inline constexpr double kMaxWeight = 2.0;     // the tasks search [0, 2]^12
inline constexpr std::size_t kTerrains = 50;  // terrains of the task lunar12
inline constexpr std::size_t kQuickTerrains = 10;  // lunar12-quick uses the first ones

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

/// mean_return returns the mean reward of the flights, which is the value of the tasks. Requires at
/// least one flight.
[[nodiscard]] double mean_return(std::span<const Flight> flights);

/// hand_written_weights returns the weights of the controller that comes with the simulation in
/// OpenAI Gym.
[[nodiscard]] std::vector<double> hand_written_weights();

/// best_known_weights returns the best known weights for lunar12. docs/lander.md says how they were
/// found.
[[nodiscard]] std::vector<double> best_known_weights();

struct DrawnFlights {
  std::vector<Flight> flights;
  std::string svg;
};

/// draw_flights flies as fly_terrains does and draws the terrains in a grid: the ground, the pad,
/// the path of the hull in the colour of the outcome, and the craft at its final position. Throws
/// Error (invalid_value) unless there are 12 finite weights and at least one terrain.
[[nodiscard]] DrawnFlights draw_flights(std::span<const double> weights, std::size_t count);

/// A long search for good weights: independent local searches of at most 1500 evaluations each.
struct SearchPlan {
  std::vector<double> start = hand_written_weights();  // start of the first search, in the box
  std::size_t terrains = kTerrains;
  int evaluations = 4500;  // total of all searches
  std::uint64_t seed = 0;
  int jobs = 1;  // worker threads; never changes a result
};

struct SearchResult {
  bool random_start = false;  // started at the best of 50 random points, not at the plan's start
  int evaluations = 0;
  double start_value = 0.0;
  double value = 0.0;
  std::vector<double> weights = {};
};

/// check_start throws as check_weights does, and also for a weight outside the box of the task.
void check_start(std::span<const double> start, std::string_view field);

/// search_weights returns the result of each search, in the order of the searches. It calls
/// `progress` with the finished and total evaluations, one call at a time. If `stop` becomes true,
/// the searches end early, and those without any evaluation are left out. Throws Error
/// (invalid_value) for a start outside the box, and for numbers that are not positive.
[[nodiscard]] std::vector<SearchResult> search_weights(
    const SearchPlan& plan, const std::function<void(int, int)>& progress = {},
    const std::atomic<bool>* stop = nullptr);

}  // namespace oscbo::lander
