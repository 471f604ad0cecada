// File: oscbo/lander_search.hpp
//
// Searches for good weights of the lunar lander and draws its flights.
//
//   for (const auto& found : oscbo::lander::search_weights({.evaluations = 1500})) {
//     const std::string picture = oscbo::lander::draw_flights(found.weights, 10).svg;
//   }
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oscbo/lander.hpp"

namespace oscbo::lander {

struct DrawnFlights {
  std::vector<Flight> flights;
  std::string svg;
};

/// draw_flights flies the same flights as fly_terrains and draws the terrains in a grid: the
/// ground, the pad, the path of the hull in the colour of the outcome, and the craft at its final
/// position. Throws Error (invalid_value) unless there are 12 finite weights and at least one
/// terrain.
[[nodiscard]] DrawnFlights draw_flights(std::span<const double> weights, std::size_t count);

/// A long search for good weights: independent local searches of at most 1500 evaluations each.
struct SearchPlan {
  std::vector<double> start = hand_written_weights();  // start of the first search, inside the box
  std::size_t terrains = kTerrains;
  int evaluations = 4500;  // total over all searches
  std::uint64_t seed = 0;
  int jobs = 1;  // worker threads; never changes a result
};

struct SearchResult {
  bool random_start = false;  // true: started at the best of 50 random points; false: at plan.start
  int evaluations = 0;
  double start_value = 0.0;
  double value = 0.0;
  std::vector<double> weights = {};
};

/// check_start throws the errors of check_weights, and an error if a weight is outside the box of
/// the task.
void check_start(std::span<const double> start, std::string_view field);

/// search_weights returns the results in the order of the searches. `progress` is called with the
/// numbers of finished and total evaluations, one call at a time. When `stop` becomes true, the
/// searches end early, and searches without any evaluation are omitted. Throws the errors of
/// check_start, and Error (invalid_value) if `terrains`, `evaluations` or `jobs` is not positive.
[[nodiscard]] std::vector<SearchResult> search_weights(
    const SearchPlan& plan, const std::function<void(int, int)>& progress = {},
    const std::atomic<bool>* stop = nullptr);

}  // namespace oscbo::lander
