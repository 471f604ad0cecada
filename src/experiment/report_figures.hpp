// The figures of a result directory, made from its learning curves. Every figure has a panel per
// task, and a method looks the same in all of them.
#pragma once

#include <string>
#include <vector>

#include "experiment/comparison.hpp"
#include "experiment/figure.hpp"
#include "experiment/learning_curves.hpp"

namespace oscbo::experiment {

/// final_value returns what `run` came to: its final simple or cumulative regret.
[[nodiscard]] double final_value(const RunOutcome& run, Quantity regret);

/// Mean final regrets over seeds, of the tasks for which every one of `methods` has runs.
struct FinalScores {
  std::vector<std::string> tasks = {};
  std::vector<std::string> methods = {};
  ScoreTable scores = {};  // scores[task][method]
};

[[nodiscard]] FinalScores final_scores(const RunGroups& groups,
                                       const std::vector<std::string>& methods, Quantity regret);

/// curve_series draws the mean of a quantity with its band of one standard error.
[[nodiscard]] Series curve_series(const RunGroup& group, Quantity quantity);

/// curve_panel draws a quantity of several methods on one task.
[[nodiscard]] Panel curve_panel(const RunGroups& groups, const std::string& task,
                                const std::vector<std::string>& methods, Quantity quantity);

/// regret_figure draws for every task the regret along the runs and beside it the final values of
/// the three best methods seed by seed; the last panel shows the ranks.
[[nodiscard]] Figure regret_figure(const RunGroups& groups, Quantity regret);

/// diagnostics_figure has a row of panels per task: both regrets, coverage, width, positive
/// violation, the path in the plane of width and coverage gap, lengthscale.
[[nodiscard]] Figure diagnostics_figure(const RunGroups& groups);

/// time_figure draws the seconds spent on suggestions against evaluations.
[[nodiscard]] Figure time_figure(const RunGroups& groups);

}  // namespace oscbo::experiment
