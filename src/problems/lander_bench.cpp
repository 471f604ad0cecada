// One episode of about 250 steps, the cost of a fiftieth of an evaluation of lunar12.
#include "problems/lander.hpp"

#include <benchmark/benchmark.h>

#include "problems/lander_problem.hpp"

namespace oscbo::lander {
namespace {

void episode(benchmark::State& state) {
  const std::vector<double> weights = hand_written_weights();
  int steps = 0;
  for (auto _ : state) steps = fly(weights, terrain_draws(0), kTaskPush).steps;
  state.counters["steps"] = steps;
}
BENCHMARK(episode)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oscbo::lander
