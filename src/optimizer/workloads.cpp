// Fixed workloads for scripts/check-instructions, which counts their instructions.
//
//   oscbo_workloads          lists their names
//   oscbo_workloads NAME     runs one and prints a number that depends on all of it
#include "optimizer/workloads.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include <fmt/core.h>

#include "acquisition/acquisition_options.hpp"
#include "learners/learner_options.hpp"

namespace oscbo::workloads {
namespace {

/// objective evaluates the function on which a round with the solver adam spends most of its time.
double objective() {
  RandomObjective random(110);
  const gp::Vector theta = gp::Vector::Constant(1, 0.5);
  gp::Vector gradient(1);
  double sum = 0.0;
  for (int i = 0; i < 500; ++i) {
    sum += random.objective.value_and_gradient(theta, gradient) + gradient[0];
  }
  return sum;
}

Config oscbo_with(std::string_view solver) {
  Config config = method_config("oscbo");
  set_option(config, "learner.solver", solver);
  return config;
}

/// runs does three runs of 60 evaluations on Hartmann-6. One long run would be less stable: the
/// cost of a run depends on its path, and a difference in the last digit can change the path.
double runs(const Config& config) {
  const Problem problem = make_problem("hartmann6");
  double sum = 0.0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Optimizer optimizer(problem.space, config, seed);
    run(optimizer, problem, 60);
    sum += problem.value(optimizer.recommendation().trial.x);
  }
  return sum;
}

double run_adam() { return runs(oscbo_with("adam")); }
double run_exact() { return runs(oscbo_with("exact")); }
double run_auto() { return runs(method_config("auto")); }

/// large makes twelve suggestions from 400 or more random observations. A model is learned and then
/// grown.
double large() {
  const Problem problem = make_problem("hartmann6");
  Config config = oscbo_with("exact");
  config.edit<learners::RefitOptions>().growth = 0.1;
  config.edit<acquisition::AcquisitionOptions>().solver =
      acquisition::AcquisitionOptions::Solver::bfgs;
  config.threads = 1;  // starting a thread takes instructions too
  Optimizer optimizer(problem.space, config, /*seed=*/0);
  tell_random_points(optimizer, problem, 400, /*seed=*/0);
  run(optimizer, problem, 12);
  return problem.value(optimizer.recommendation().trial.x);
}

struct Workload {
  std::string_view name;
  double (*perform)();
};

constexpr std::array kWorkloads = {
    Workload{.name = "objective", .perform = objective},
    Workload{.name = "run_adam", .perform = run_adam},
    Workload{.name = "run_exact", .perform = run_exact},
    Workload{.name = "run_auto", .perform = run_auto},
    Workload{.name = "large", .perform = large},
};

int perform(std::string_view name) {
  const auto* const found = std::ranges::find(kWorkloads, name, &Workload::name);
  if (found == kWorkloads.end()) {
    fmt::print(stderr, "oscbo_workloads: no workload '{}'\n", name);
    return 2;
  }
  fmt::print("{}\n", found->perform());
  return 0;
}

int list() {
  for (const Workload& workload : kWorkloads) fmt::print("{}\n", workload.name);
  return 0;
}

}  // namespace
}  // namespace oscbo::workloads

int main(int argc, char** argv) {
  return argc == 2 ? oscbo::workloads::perform(argv[1]) : oscbo::workloads::list();
}
