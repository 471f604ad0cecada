#include "problems/lander_problem.hpp"

#include <cassert>
#include <vector>

#include "numeric/random_stream.hpp"
#include "oscbo/lander.hpp"

namespace oscbo::lander {
namespace {

double mean_over(functions::Point x, std::size_t terrains) {
  check_weights(x, "x");
  return mean_return(fly_terrains(x, terrains));
}

}  // namespace

std::vector<Flight> fly_terrains(std::span<const double> weights, std::size_t count) {
  check_weights(weights, "weights");
  std::vector<Flight> flights;
  flights.reserve(count);
  for (std::size_t terrain = 0; terrain < count; ++terrain) {
    const Episode episode = fly(weights, terrain_draws(terrain), kTaskPush);
    flights.push_back({.terrain = terrain,
                       .outcome = episode.outcome,
                       .steps = episode.steps,
                       .reward = episode.reward});
  }
  return flights;
}

double mean_return(std::span<const Flight> flights) {
  assert(!flights.empty());
  double sum = 0.0;
  for (const Flight& flight : flights) sum += flight.reward;
  return sum / static_cast<double>(flights.size());
}

UniformDraws terrain_draws(std::size_t terrain) {
  return [stream = numeric::RandomStream(terrain, numeric::Purpose::lander_episode)]() mutable {
    return stream.uniform();
  };
}

std::vector<double> hand_written_weights() {
  return {0.5, 1.0, 0.4, 0.55, 0.5, 1.0, 0.5, 0.5, 0.0, 0.5, 0.05, 0.05};
}

double lunar12(functions::Point x) { return mean_over(x, kTerrains); }

double lunar12_quick(functions::Point x) { return mean_over(x, kQuickTerrains); }

functions::Optimum lunar12_optimum(std::size_t /*dimension*/) {
  return {.maximum = 292.72706884498695,
          .maximiser = {0.806193, 0.756095, 0.482642, 0.668247, 1.214256, 1.328424, 0.776560,
                        1.423173, 0.057465, 0.456673, 0.140732, 0.081349}};
}

functions::Optimum lunar12_quick_optimum(std::size_t dimension) {
  return {.maximum = 300.0707659717196, .maximiser = lunar12_optimum(dimension).maximiser};
}

}  // namespace oscbo::lander
