// Ours against the straightforward version of the same step, interleaved in one run, so that a busy
// machine slows both alike. Read the counter `speedup`; the times are of this machine, this moment.
#include "oscbo/optimizer.hpp"

#include <chrono>

#include <benchmark/benchmark.h>

#include "gp/lengthscale_objective.hpp"
#include "gp/stationary_kernel.hpp"
#include "optimizer/straightforward.hpp"

namespace oscbo {
namespace {

/// Alternates between two functions and reports how much faster the second is.
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
  constexpr Eigen::Index kDimension = 6;
  numeric::RandomStream stream(0, numeric::Purpose::initial_design);
  gp::Inputs inputs(kDimension, n);
  straightforward::Matrix X(n, kDimension);
  gp::Vector y(n);
  std::vector<double> x(kDimension);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (double& u : x) u = stream.uniform();
    X.row(i) = Eigen::Map<const gp::Vector>(x.data(), kDimension).transpose();
    inputs.append(x);
    y[i] = stream.normal();
  }
  const gp::Vector weights = gp::Vector::Constant(n, 0.43);
  const double c = std::log1p(1.0 / straightforward::kNoise);
  const gp::ObjectiveTerms terms{
      .log_pivot_weights = gp::Vector::Constant(n, 1.0 / c),
      .residual_weights = weights / straightforward::kBeta,
      .exponent = 2.0,
      .constant = -static_cast<double>(n) * std::log(straightforward::kNoise) / c - weights.sum()};
  gp::LengthscaleObjective objective(gp::stationary_kernel(gp::KernelShape::matern52),
                                     straightforward::kNoise);
  objective.set_data(inputs, y);
  objective.set_terms(terms);

  const gp::Vector theta = gp::Vector::Constant(1, 0.5);
  gp::Vector gradient(1);
  double slow_gradient = 0.0;
  compare(
      state,
      [&] {
        benchmark::DoNotOptimize(
            straightforward::ftpl_objective(X, y, weights, 0.0, theta[0], slow_gradient));
      },
      [&] { benchmark::DoNotOptimize(objective.value_and_gradient(theta, gradient)); });
  if (std::abs(gradient[0] - slow_gradient) > 1e-9 * std::abs(slow_gradient)) {
    state.SkipWithError("the two gradients differ");
  }
}
BENCHMARK(objective_with_gradient)->Arg(20)->Arg(60)->Arg(110)->Arg(200);

/// 100 rounds of OSCBO on Hartmann-6 from 10 points; the straightforward one always uses Adam.
void whole_run(benchmark::State& state, const char* solver) {
  const Problem problem = make_problem("hartmann6");
  Config config = method_config("oscbo");
  set_option(config, "learner.solver", solver);
  std::uint64_t slow_seed = 0;
  std::uint64_t fast_seed = 0;
  compare(
      state, [&] { benchmark::DoNotOptimize(straightforward::run(problem, 100, slow_seed++)); },
      [&] {
        Optimizer optimizer(problem.bounds, config, fast_seed++);
        for (int i = 0; i < 110; ++i) {
          const Suggestion next = optimizer.ask();
          optimizer.tell(next.trial, problem.value(next.x));
        }
      });
}
BENCHMARK_CAPTURE(whole_run, adam, "adam")->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_run, exact, "exact")->Iterations(8)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oscbo
