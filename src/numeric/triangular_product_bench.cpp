// A search asks the model about all of its starts together. This compares it with asking about one
// start at a time, and with the time to read U. The candidates take turns.
#include "numeric/triangular_product.hpp"

#include <chrono>

#include <Eigen/Core>
#include <benchmark/benchmark.h>

#include "numeric/parallel.hpp"

namespace oscbo::numeric {
namespace {

using Clock = std::chrono::steady_clock;

PaddedMatrix random_columns(Index n, Index columns) {
  PaddedMatrix matrix(n, columns);
  matrix.set_zero();
  for (Index j = 0; j < columns; ++j) {
    Eigen::Map<Vector>(matrix.column(j), std::min(n, columns == n ? j + 1 : n)).setRandom();
  }
  return matrix;
}

void inverse_times_points(benchmark::State& state) {
  const ThreadLimit limit(1);
  const auto n = static_cast<Index>(state.range(0));
  const auto points = static_cast<Index>(state.range(1));
  const PaddedMatrix U = random_columns(n, n);
  const PaddedMatrix K = random_columns(n, points);
  const PaddedMatrix k = random_columns(n, 1);
  PaddedMatrix V;
  PaddedMatrix W;
  double together = 0.0;
  double in_turn = 0.0;
  double reading = 0.0;
  for (auto _ : state) {
    const Clock::time_point start = Clock::now();
    inverse_times(U, n, K, V, W);
    const Clock::time_point middle = Clock::now();
    for (Index p = 0; p < points; ++p) inverse_times(U, n, k, V, W);
    const Clock::time_point end = Clock::now();
    Packet sum{};
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i <= j; i += kLanes) sum += packet_at(U.column(j) + i);
    }
    benchmark::DoNotOptimize(sum);
    reading += std::chrono::duration<double>(Clock::now() - end).count();
    together += std::chrono::duration<double>(middle - start).count();
    in_turn += std::chrono::duration<double>(end - middle).count();
  }
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["together_us"] = 1e6 * together / rounds;
  state.counters["speedup"] = in_turn / together;
  state.counters["readings"] = together / reading;
  state.counters["GFLOP"] = 2e-9 * static_cast<double>(n * n * points) * rounds / together;
}
BENCHMARK(inverse_times_points)->ArgsProduct({{110, 300, 1000, 3000, 5000}, {1, 5, 8}});

}  // namespace
}  // namespace oscbo::numeric
