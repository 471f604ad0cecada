// Hand-written learning curves, for tests of the code that uses them.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "report/learning_curves.hpp"

namespace oscbo::report {

inline void set_curve(RunGroup& group, Quantity quantity, Curve curve) {
  group.curves[static_cast<std::size_t>(quantity)] = std::move(curve);
}

/// Runs of seeds 0, 1, ... with these final simple regrets. Each starts with a simple regret of 4.
/// Its cumulative regret is ten times its final simple regret.
inline RunGroup hand_group(const std::string& task, const std::string& method,
                           const std::vector<double>& final_regrets) {
  RunGroup group{.task = task, .method = method};
  for (const double regret : final_regrets) {
    experiment::RunTotals totals{
        .initial_regret = 4.0, .simple_regret = regret, .cumulative_regret = 10.0 * regret};
    totals.calibration.mean_width = std::numeric_limits<double>::quiet_NaN();
    group.runs.push_back({.seed = static_cast<int>(group.runs.size()), .totals = totals});
  }
  const double last = final_regrets.back();
  const Curve regret{.steps = {-1, 0, 1, 2}, .mean = {5.0, 4.0, 2.0, last}, .error = {1, 1, 1, 1}};
  set_curve(group, Quantity::simple_regret, regret);
  set_curve(group, Quantity::cumulative_regret, regret);
  set_curve(group, Quantity::seconds,
            {.steps = {0, 1, 2}, .mean = {0.0, 0.5, 1.5}, .error = {0.0, 0.1, 0.25}});
  return group;
}

/// `group` with a model that was asked twice: coverage 0 and then 0.5, mean widths 1 and 3.
inline RunGroup with_model(RunGroup group) {
  for (RunOutcome& run : group.runs) {
    run.totals.covered = 1;
    run.totals.lengthscale = 0.25;
    run.totals.calibration.predictions = 2.0;
    run.totals.calibration.coverage.fill(0.5);
    run.totals.calibration.mean_width = 3.0;
  }
  const auto curve = [](double first, double second) {
    return Curve{.steps = {1, 2}, .mean = {first, second}, .error = {0.0, 0.0}};
  };
  set_curve(group, Quantity::coverage, curve(0.0, 0.5));
  set_curve(group, Quantity::width, curve(1.0, 5.0));
  set_curve(group, Quantity::mean_width, curve(1.0, 3.0));
  set_curve(group, Quantity::positive_violation, curve(0.0, 2.0));
  set_curve(group, Quantity::lengthscale, curve(0.5, 0.25));
  return group;
}

inline RunGroups hand_groups(std::vector<std::string> tasks, std::vector<std::string> methods,
                             std::vector<RunGroup> groups) {
  return {.tasks = std::move(tasks),
          .methods = std::move(methods),
          .groups = std::move(groups),
          .steps = 2,
          .seeds = 3};
}

}  // namespace oscbo::report
