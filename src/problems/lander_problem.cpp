#include "problems/lander_problem.hpp"

#include <cassert>
#include <vector>

#include <box2d/b2_common.h>
#include <fmt/format.h>

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
    flights.push_back(flight_of(terrain, fly(weights, terrain_draws(terrain), kTaskPush)));
  }
  return flights;
}

Flight flight_of(std::size_t terrain, const Episode& episode) {
  return {.terrain = terrain,
          .outcome = episode.outcome,
          .steps = episode.steps,
          .reward = episode.reward};
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

std::vector<double> best_known_weights() { return lunar12_optimum(kWeights).maximiser; }

double lunar12(functions::Point x) { return mean_over(x, kTerrains); }

double lunar12_quick(functions::Point x) { return mean_over(x, kQuickTerrains); }

functions::Optimum lunar12_optimum(std::size_t /*dimension*/) {
  return {.maximum = 299.36967438770807,
          .maximiser = {0.63256778574557693, 1.0640808283259247, 0.50919703738532673,
                        1.5351515625173662, 1.6445589305467101, 1.3190471700712154,
                        0.56739682328383256, 1.202105652165733, 0.11159386744799239,
                        1.4313927707858989, 0.13210358919348172, 0.31325822201026099}};
}

functions::Optimum lunar12_quick_optimum(std::size_t /*dimension*/) {
  return {.maximum = 303.73007216837595,
          .maximiser = {0.4749850044811641, 1.0771812430919454, 0.33153727695335167,
                        1.3427046816445396, 1.5856639546031093, 1.4035301250050869,
                        0.71880472153401476, 1.0828285285086048, 0.25294632428731467,
                        1.5101743102303329, 0.0030338193101757571, 0.42326738194318991}};
}

std::string source(double reference) {
  return fmt::format("reference {:.17g}, Box2D {}.{}.{}", reference, b2_version.major,
                     b2_version.minor, b2_version.revision);
}

}  // namespace oscbo::lander
