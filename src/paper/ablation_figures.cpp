#include "paper/ablation_figures.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "experiment/statistics.hpp"
#include "report/comparison.hpp"
#include "report/rank_panel.hpp"
#include "report/report_figures.hpp"

namespace oscbo::paper {
namespace {

const std::vector<std::string>& both_exponents() {
  static const std::vector<std::string> methods = {"oscbo", "oscbo-l1"};
  return methods;
}

/// regime_rank_panel returns nothing if there are fewer than two methods or no task has runs of all
/// of them.
std::optional<report::Panel> regime_rank_panel(const RegimeResults& results) {
  const report::FinalScores scores = report::final_scores(
      results.groups, report::methods_with_runs(results.groups), report::Quantity::simple_regret);
  if (scores.tasks.empty() || scores.methods.size() < 2) return std::nullopt;
  return report::rank_panel(results.regime.title, scores.methods,
                            report::summarise_ranks(scores.scores));
}

/// normalised_means returns the curve in units of the regret at step 0. The cumulative curve is
/// also divided by the number of rounds so far.
std::vector<double> normalised_means(const report::RunGroup& group, report::Quantity regret) {
  const report::Curve& simple = group[report::Quantity::simple_regret];
  double initial = 0.0;
  std::vector<double> values;
  for (std::size_t i = 0; i < simple.steps.size(); ++i) {
    const int step = simple.steps[i];
    if (step == 0) initial = simple.mean[i];
    if (step < 1) continue;
    values.push_back(
        regret == report::Quantity::simple_regret
            ? report::normalised_regret(simple.mean[i], initial)
            : report::normalised_cumulative_regret(group[regret].mean[i], step, initial));
  }
  return values;
}

/// mean_over_tasks returns the mean and the standard error over tasks at each step.
report::Series mean_over_tasks(const report::RunGroups& groups, const std::string& method,
                               report::Quantity regret) {
  report::Series series = report::method_series(method, groups.methods);
  std::vector<std::vector<double>> by_task;
  for (const std::string& task : groups.tasks) {
    const report::RunGroup* group = groups.find(task, method);
    if (group != nullptr) by_task.push_back(normalised_means(*group, regret));
  }
  if (by_task.empty()) return series;
  for (std::size_t step = 0; step < by_task.front().size(); ++step) {
    std::vector<double> values;
    values.reserve(by_task.size());
    for (const std::vector<double>& task : by_task) values.push_back(task.at(step));
    const double centre = experiment::mean(values);
    const double error = experiment::standard_error(values);
    series.x.push_back(static_cast<double>(step + 1));
    series.y.push_back(centre);
    if (std::isnan(error)) continue;
    series.lower.push_back(centre - error);
    series.upper.push_back(centre + error);
  }
  return series;
}

report::Panel exponent_panel(const report::RunGroups& groups, report::Quantity regret) {
  const bool simple = regret == report::Quantity::simple_regret;
  report::Panel panel{
      .title = simple ? "p = 2 and p = 1: simple regret" : "p = 2 and p = 1: cumulative",
      .x = {.title = "round"},
      .y = {.title = simple ? "simple regret / initial" : "mean regret / initial",
            .logarithmic = simple}};
  for (const std::string& method : both_exponents()) {
    panel.series.push_back(mean_over_tasks(groups, method, regret));
  }
  return panel;
}

/// beside adds `regime` to the axis title. With seven panels in a row, "task: regime" would be too
/// long as a panel title.
report::Panel beside(const std::string& regime, report::Panel panel) {
  panel.y.title = fmt::format("{}: {}", regime, panel.y.title);
  return panel;
}

/// logarithmic_cumulative_panel starts the curve at round 1, because the sum starts at zero, which
/// a logarithmic axis cannot show.
report::Panel logarithmic_cumulative_panel(const report::RunGroups& groups,
                                           const std::string& task) {
  report::Panel panel =
      report::curve_panel(groups, task, both_exponents(), report::Quantity::cumulative_regret);
  panel.y.logarithmic = true;
  for (report::Series& series : panel.series) {
    for (std::vector<double>* column : {&series.x, &series.y, &series.lower, &series.upper}) {
      if (!column->empty()) column->erase(column->begin());
    }
  }
  return panel;
}

}  // namespace

report::Figure ablation_ranks_figure(const PaperResults& results) {
  report::Figure figure{
      .name = "ablation-ranks",
      .title = "Ranks under other kernels and acquisitions",
      .caption =
          "Ranks by the final simple regret, which is averaged over seeds first: a small dot for "
          "the rank on each task, and a large dot for the mean rank, with its standard error over "
          "tasks; lower is better. A panel shows the methods that were run in its regime. The last "
          "two panels compare oscbo with oscbo-l1; p is the exponent of the calibration loss, 2 in "
          "oscbo and 1 in oscbo-l1. These two panels show the regret along the run, mean and "
          "standard error over tasks, in units of the regret after the initial design. The "
          "cumulative regret is divided by the number of rounds so far.",
      .columns = 4};
  for (const RegimeResults& regime : results.regimes) {
    if (std::optional<report::Panel> panel = regime_rank_panel(regime)) {
      figure.panels.push_back(std::move(*panel));
    }
  }
  figure.panels.push_back(exponent_panel(results.main, report::Quantity::simple_regret));
  figure.panels.push_back(exponent_panel(results.main, report::Quantity::cumulative_regret));
  return figure;
}

report::Figure ablation_curves_figure(const PaperResults& results) {
  const std::vector<std::string>& tasks = results.main.tasks;
  report::Figure figure{.name = "ablation-curves",
                        .title = "Every task under every regime",
                        .caption =
                            "A row per regime, a column per task: simple regret, mean and standard "
                            "error over seeds. Last row: cumulative regret of oscbo and oscbo-l1.",
                        .columns = static_cast<int>(tasks.size())};
  for (const RegimeResults& regime : results.regimes) {
    for (const std::string& task : tasks) {
      figure.panels.push_back(beside(regime.regime.title,
                                     report::curve_panel(regime.groups, task, regime.regime.methods,
                                                         report::Quantity::simple_regret)));
    }
  }
  for (const std::string& task : tasks) {
    figure.panels.push_back(logarithmic_cumulative_panel(results.main, task));
  }
  return figure;
}

}  // namespace oscbo::paper
