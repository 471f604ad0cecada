// Compares the optimizer with the straightforward version of the same step. Both are interleaved in
// one run, so a busy machine slows both equally. Read the counter `speedup`; the times depend on
// the machine and the moment.
#include "oscbo/optimizer.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

#include <benchmark/benchmark.h>

#include "optimizer/straightforward.hpp"
#include "optimizer/workloads.hpp"

namespace oscbo {
namespace {

/// Alternates between two functions and reports how much faster the second one is.
template <class Slow, class Fast>
void compare(benchmark::State& state, Slow&& slow, Fast&& fast) {
  using Clock = std::chrono::steady_clock;
  double slow_seconds = 0.0;
  double fast_seconds = 0.0;
  for (auto _ : state) {
    const auto start = Clock::now();
    slow();
    const auto middle = Clock::now();
    fast();
    const auto end = Clock::now();
    slow_seconds += std::chrono::duration<double>(middle - start).count();
    fast_seconds += std::chrono::duration<double>(end - middle).count();
  }
  const auto iterations = static_cast<double>(state.iterations());
  state.counters["straightforward_us"] = 1e6 * slow_seconds / iterations;
  state.counters["oscbo_us"] = 1e6 * fast_seconds / iterations;
  state.counters["speedup"] = slow_seconds / fast_seconds;
}

void objective_with_gradient(benchmark::State& state) {
  const auto n = static_cast<Eigen::Index>(state.range(0));
  workloads::RandomObjective random(n);
  straightforward::Matrix X(n, random.inputs.dimension());
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index k = 0; k < X.cols(); ++k) X(i, k) = random.inputs.X()(i, k);
  }
  const gp::Vector theta = gp::Vector::Constant(1, 0.5);
  gp::Vector gradient(1);
  double slow_gradient = 0.0;
  compare(
      state,
      [&] {
        benchmark::DoNotOptimize(straightforward::ftpl_objective(X, random.y, random.weights, 0.0,
                                                                 theta[0], slow_gradient));
      },
      [&] { benchmark::DoNotOptimize(random.objective.value_and_gradient(theta, gradient)); });
  if (std::abs(gradient[0] - slow_gradient) > 1e-9 * std::abs(slow_gradient)) {
    state.SkipWithError("the two gradients differ");
  }
}
BENCHMARK(objective_with_gradient)->Arg(20)->Arg(60)->Arg(110)->Arg(200);

/// whole_run does 100 rounds of OSCBO from 10 points. The straightforward version always uses Adam.
void whole_run(benchmark::State& state, const char* task, const char* solver) {
  const Problem problem = make_problem(task);
  Config config = method_config("oscbo");
  set_option(config, "learner.solver", solver);
  std::uint64_t slow_seed = 0;
  std::uint64_t fast_seed = 0;
  compare(
      state, [&] { benchmark::DoNotOptimize(straightforward::run(problem, 100, slow_seed++)); },
      [&] {
        Optimizer optimizer(problem.space, config, fast_seed++);
        workloads::run(optimizer, problem, 110);
      });
}
#define WHOLE_RUN(task, solver)                                 \
  BENCHMARK_CAPTURE(whole_run, task##_##solver, #task, #solver) \
      ->Iterations(8)                                           \
      ->Unit(benchmark::kMillisecond)
WHOLE_RUN(levy5, adam);
WHOLE_RUN(levy5, exact);
WHOLE_RUN(hartmann3, adam);
WHOLE_RUN(hartmann3, exact);
WHOLE_RUN(hartmann6, adam);
WHOLE_RUN(hartmann6, exact);

/// suggestion_of_auto measures how long a user of auto waits for a suggestion: 20 rounds at about n
/// points on Hartmann-6, in processor time. Up to 200 points the points are auto's own; beyond that
/// they are random.
void suggestion_of_auto(benchmark::State& state) {
  constexpr int kRounds = 20;
  constexpr int kMostOwnPoints = 200;
  const auto n = static_cast<int>(state.range(0));
  const Problem problem = make_problem("hartmann6");
  Config config = method_config("auto");
  config.threads = 1;
  std::vector<double> milliseconds;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    Optimizer optimizer(problem.space, config, seed);
    const int before = n - kRounds / 2;
    if (n > kMostOwnPoints) {
      workloads::tell_random_points(optimizer, problem, before, seed);
    } else {
      workloads::run(optimizer, problem, before);
    }
    ++seed;
    for (int i = 0; i < kRounds; ++i) {
      const std::clock_t start = std::clock();
      const Suggestion next = optimizer.ask();
      milliseconds.push_back(1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
      optimizer.tell(next.trial, problem.value(next.x));
    }
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  const auto quantile = [&](double share) {
    return milliseconds[static_cast<std::size_t>(share * static_cast<double>(milliseconds.size()))];
  };
  state.counters["median_ms"] = quantile(0.5);
  state.counters["p99_ms"] = quantile(0.99);
}
BENCHMARK(suggestion_of_auto)->Arg(100)->Iterations(20)->Unit(benchmark::kMillisecond);
BENCHMARK(suggestion_of_auto)->Arg(1000)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oscbo
