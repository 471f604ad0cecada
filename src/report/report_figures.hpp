// The figures of a result directory, drawn from its learning curves. A method has the same style in
// all figures. Methods and tasks without finished runs are omitted.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/comparison.hpp"
#include "report/figure.hpp"
#include "report/learning_curves.hpp"

namespace oscbo::report {

/// final_value returns the final simple or cumulative regret of a run.
[[nodiscard]] double final_value(const experiment::RunTotals& totals, Quantity regret);

/// final_values returns the final regret of every run of `group`, in ascending order of seeds.
[[nodiscard]] std::vector<double> final_values(const RunGroup& group, Quantity regret);

/// methods_with_runs returns the methods that have a finished run, in the order of the plan.
[[nodiscard]] std::vector<std::string> methods_with_runs(const RunGroups& groups);

/// Mean final regrets over seeds, of the tasks for which every one of `methods` has runs.
struct FinalScores {
  std::vector<std::string> tasks = {};
  std::vector<std::string> methods = {};
  ScoreTable scores = {};  // scores[task][method]
};

[[nodiscard]] FinalScores final_scores(const RunGroups& groups,
                                       const std::vector<std::string>& methods, Quantity regret);

/// method_series returns a line without points, named after `method` and in the style that it has
/// among `methods`.
[[nodiscard]] Series method_series(const std::string& method,
                                   std::span<const std::string> methods = {});

/// curve_series draws the mean of a quantity with a band of one standard error, from step 0 for
/// regrets and from step 1 for other quantities. On a logarithmic axis, a mean below 1e-12 is shown
/// as 1e-12, but where any quantity other than the simple regret is zero, the curve has a gap. On
/// this axis, the band starts at no less than a tenth of the mean. Without a standard error, there
/// is no band. The curve has the style that the method has among `methods`.
[[nodiscard]] Series curve_series(const RunGroup& group, Quantity quantity,
                                  std::span<const std::string> methods = {});

/// curve_panel draws a quantity of several methods on one task. Variants of one method share its
/// colour in shades.
[[nodiscard]] Panel curve_panel(const RunGroups& groups, const std::string& task,
                                const std::vector<std::string>& methods, Quantity quantity);

/// final_panel draws the final regrets of the three best methods on a task, best first: a small dot
/// for each seed, and a large dot for their mean, with its standard error.
[[nodiscard]] Panel final_panel(const RunGroups& groups, const std::string& task, Quantity regret);

/// regret_figure has two panels for every task: the regret along the runs, and beside it the final
/// values of the three best methods, seed by seed. The last panel shows the ranks.
[[nodiscard]] Figure regret_figure(const RunGroups& groups, Quantity regret);

/// diagnostics_figure has a row of panels per task: both regrets, coverage, width, positive
/// violation, the path in the plane of width and coverage gap, and the lengthscale.
[[nodiscard]] Figure diagnostics_figure(const RunGroups& groups);

/// time_figure draws the seconds spent on suggestions against evaluations.
[[nodiscard]] Figure time_figure(const RunGroups& groups);

}  // namespace oscbo::report
