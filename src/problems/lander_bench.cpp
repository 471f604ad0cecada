// Measures the cost of flying all terrains of lunar12, with weights that land and with random
// weights, most of which crash early. A step on the ground costs more than one in the air.
#include "oscbo/lander.hpp"

#include <vector>

#include <benchmark/benchmark.h>

#include "numeric/random_stream.hpp"

namespace oscbo::lander {
namespace {

/// Flies all terrains in each iteration. `weights` returns the weights of the next iteration.
template <typename Weights>
void fly_task(benchmark::State& state, Weights weights) {
  double steps = 0.0;
  for (auto _ : state) {
    for (const Flight& flight : fly_terrains(weights(), kTerrains)) steps += flight.steps;
  }
  using benchmark::Counter;
  state.counters["steps"] = Counter(steps, Counter::kAvgIterations);
  state.counters["s_per_250_steps"] = Counter(steps / 250.0, Counter::kIsRate | Counter::kInvert);
}

void landing(benchmark::State& state) {
  fly_task(state, [] { return hand_written_weights(); });
}
BENCHMARK(landing)->Unit(benchmark::kMillisecond);

void random_weights(benchmark::State& state) {
  constexpr std::size_t kSamples = 20;  // the same for any number of iterations
  numeric::RandomStream stream(0, numeric::Purpose::lander_search);
  std::vector<std::vector<double>> samples(kSamples, std::vector<double>(kWeights));
  for (std::vector<double>& weights : samples) {
    for (double& weight : weights) weight = kMaxWeight * stream.uniform();
  }
  fly_task(state, [&, next = std::size_t{0}]() mutable { return samples[next++ % kSamples]; });
}
BENCHMARK(random_weights)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oscbo::lander
