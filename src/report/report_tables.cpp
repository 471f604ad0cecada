#include "report/report_tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "experiment/calibration_figures.hpp"
#include "experiment/statistics.hpp"
#include "report/paired_runs.hpp"

namespace oscbo::report {
namespace {

// Errors in these decades are written out. Other errors have an exponent.
constexpr int kLowestPlainDecade = -5;
constexpr int kHighestPlainDecade = 5;

std::string four_digits(double value) {
  return std::isnan(value) ? std::string{} : fmt::format("{:.4g}", value);
}

/// first_decade returns the decimal exponent of `value` after rounding to `digits` significant
/// digits. For example, 0.0996 with two digits is 0.10, so the exponent is -1.
int first_decade(double value, int digits) {
  const std::string text = fmt::format("{:.{}e}", value, digits - 1);
  return std::stoi(text.substr(text.find('e') + 1));
}

/// to_place returns `value` rounded to a multiple of 10^`last`, without an exponent.
std::string to_place(double value, int last) {
  if (last <= 0) return fmt::format("{:.{}f}", value, -last);
  const double unit = std::pow(10.0, last);
  return fmt::format("{:.0f}", unit * std::round(value / unit));
}

std::string mean_with_error(const std::vector<double>& values) {
  return with_error(experiment::mean(values), experiment::standard_error(values));
}

/// mean_over_runs returns the mean over runs of one of their totals.
std::string mean_over_runs(const RunGroup& group, const RunMeasure& total) {
  return mean_with_error(run_values(group, total));
}

/// groups_of_task returns the groups of a task in the order of the plan.
std::vector<const RunGroup*> groups_of_task(const RunGroups& groups, const std::string& task) {
  std::vector<const RunGroup*> found;
  for (const RunGroup& group : groups.groups) {
    if (group.task == task) found.push_back(&group);
  }
  return found;
}

std::vector<double> ranks_in_task(const std::vector<const RunGroup*>& groups, Quantity regret) {
  std::vector<double> means;
  means.reserve(groups.size());
  for (const RunGroup* group : groups)
    means.push_back(experiment::mean(final_values(*group, regret)));
  return experiment::ranks(means);
}

void add_means_rows(ReportTable& table, const std::vector<const RunGroup*>& groups) {
  const std::vector<double> simple = ranks_in_task(groups, Quantity::simple_regret);
  const std::vector<double> cumulative = ranks_in_task(groups, Quantity::cumulative_regret);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const RunGroup& group = *groups[i];
    table.rows.push_back(
        {group.task, group.method, std::to_string(group.runs.size()),
         mean_with_error(final_values(group, Quantity::simple_regret)), four_digits(simple[i]),
         mean_with_error(final_values(group, Quantity::cumulative_regret)),
         four_digits(cumulative[i]),
         mean_over_runs(group, [](const experiment::RunTotals& run) { return run.coverage(); }),
         mean_over_runs(
             group, [](const experiment::RunTotals& run) { return run.calibration.mean_width; }),
         mean_over_runs(group, [](const experiment::RunTotals& run) { return run.lengthscale; })});
  }
}

/// normalised returns a regret, or a difference of two, in units of the mean regret of the initial
/// design.
double normalised(double value, Quantity regret, int steps,
                  const std::vector<double>& initial_regrets) {
  const double initial = experiment::mean(initial_regrets);
  return regret == Quantity::simple_regret ? normalised_regret(value, initial)
                                           : normalised_cumulative_regret(value, steps, initial);
}

double normalised_mean(const RunGroup& group, Quantity regret, int steps) {
  return normalised(experiment::mean(final_values(group, regret)), regret, steps,
                    run_values(group, &experiment::RunTotals::initial_regret));
}

std::vector<double> without_nan(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  return values;
}

/// group_letter returns a .. z, then a1 .. z1, and so on.
std::string group_letter(std::size_t group) {
  constexpr std::size_t kLetters = 26;
  const std::string letter(1, static_cast<char>('a' + group % kLetters));
  return group < kLetters ? letter : letter + std::to_string(group / kLetters);
}

std::string group_letters(std::size_t method, const CriticalDifference& difference) {
  std::string letters;
  for (std::size_t i = 0; i < difference.groups.size(); ++i) {
    const std::vector<std::size_t>& group = difference.groups[i];
    if (std::ranges::find(group, method) == group.end()) continue;
    letters += (letters.empty() ? "" : " ") + group_letter(i);
  }
  return letters;
}

std::optional<CriticalDifference> difference_if_any(const FinalScores& scores) {
  if (scores.tasks.size() < 2 || scores.methods.size() < 2) return std::nullopt;
  return critical_difference(scores.scores);
}

std::string normalised_meaning(Quantity regret) {
  return regret == Quantity::simple_regret
             ? "the final regret divided by the regret of the initial design: 1 means no progress"
             : "the mean regret of an evaluation divided by the simple regret of the initial "
               "design: 1 means that evaluations were on average as good as the best point of that "
               "design";
}

std::string rank_note(const FinalScores& scores, Quantity regret) {
  const std::size_t tasks = scores.tasks.size();
  std::string note = fmt::format(
      "Regret is averaged over seeds, methods are ranked within {} (1 is best, ties "
      "share the mean rank), and ranks are averaged over tasks. The number after ± is the standard "
      "error over tasks. Normalised regret is {}, and 0 is the optimum.",
      tasks == 1 ? "the task" : fmt::format("each of {} tasks", tasks), normalised_meaning(regret));
  const std::optional<CriticalDifference> difference = difference_if_any(scores);
  if (!difference) {
    return note + " Telling methods apart by ranks requires at least two tasks and two methods.";
  }
  return note +
         fmt::format(
             " Friedman's test of \"all methods are alike\": chi-square {:.3g}, p = {:.2g}. "
             "Critical difference (Nemenyi, 5 %): {:.2f}. With this number of tasks, smaller "
             "differences between mean ranks are not significant. Methods that differ by less "
             "share a letter.",
             difference->statistic, difference->p_value, difference->difference);
}

/// A comparison on one task.
struct TaskComparison {
  PairedComparison paired = {};
  double normalised = 0.0;

  [[nodiscard]] bool better() const { return paired.decided() && paired.upper < 0.0; }
  [[nodiscard]] bool worse() const { return paired.decided() && paired.lower > 0.0; }
  [[nodiscard]] std::string verdict() const {
    if (better()) return "better";
    return worse() ? "worse" : "undecided";
  }
};

/// compare_regret returns nothing unless both methods have finished a common seed of the task.
std::optional<TaskComparison> compare_regret(const RunGroups& groups, const std::string& task,
                                             const std::string& method,
                                             const std::string& reference, Quantity regret) {
  const RunMeasure final_regret = [regret](const experiment::RunTotals& totals) {
    return final_value(totals, regret);
  };
  const auto paired = compare_on_task(groups, task, method, reference, final_regret);
  if (!paired) return std::nullopt;
  // Runs with the same seed have the same initial design.
  const std::vector<double> initial =
      paired_values(groups, task, method, reference, &experiment::RunTotals::initial_regret)
          .reference;
  return TaskComparison{.paired = *paired,
                        .normalised = normalised(paired->mean, regret, groups.steps, initial)};
}

std::string interval_text(const PairedComparison& paired) {
  if (std::isnan(paired.lower)) return {};
  return fmt::format("{} .. {}", four_digits(paired.lower), four_digits(paired.upper));
}

std::vector<std::string> paired_row(const std::string& task, const std::string& method,
                                    const TaskComparison& comparison) {
  const PairedComparison& paired = comparison.paired;
  return {task,
          method,
          std::to_string(paired.pairs),
          four_digits(paired.mean),
          interval_text(paired),
          four_digits(comparison.normalised),
          std::to_string(paired.wins),
          std::to_string(paired.losses),
          comparison.verdict()};
}

std::vector<std::string> pooled_row(const std::string& method,
                                    const std::vector<TaskComparison>& tasks) {
  std::size_t pairs = 0;
  std::size_t wins = 0;
  std::size_t losses = 0;
  std::vector<double> differences;
  for (const TaskComparison& task : tasks) {
    pairs += task.paired.pairs;
    wins += task.paired.wins;
    losses += task.paired.losses;
    differences.push_back(task.normalised);
  }
  const auto better = std::ranges::count_if(tasks, &TaskComparison::better);
  const auto worse = std::ranges::count_if(tasks, &TaskComparison::worse);
  const auto undecided = std::ssize(tasks) - better - worse;
  return {"all tasks",
          method,
          std::to_string(pairs),
          "",
          "",
          four_digits(experiment::mean(without_nan(differences))),
          std::to_string(wins),
          std::to_string(losses),
          fmt::format("{} better, {} worse, {} undecided", better, worse, undecided)};
}

std::string paired_note(const std::string& reference) {
  return fmt::format(
      "The table shows mean differences from {0} over common seeds. With the same seed, all "
      "methods start from the same points, so the effect of these points cancels. Negative means "
      "better than {0}. The interval is a 95 % bootstrap interval of the mean difference; the "
      "verdict is undecided if the interval contains 0 or if there are fewer than {1} common "
      "seeds, which are too few for 95 %. On average, one in twenty comparisons of equal methods "
      "is decided by chance. \"normalised\" is the mean difference in units of the regret of the "
      "initial design (per evaluation for cumulative regret). The rows for all tasks show the mean "
      "of these normalised differences.",
      reference, kFewestPairs);
}

}  // namespace

std::string with_error(double mean, double error) {
  if (std::isnan(error) || std::isnan(mean)) return four_digits(mean);
  if (error == 0.0 || !std::isfinite(mean) || !std::isfinite(error)) {
    return fmt::format("{} ± {}", four_digits(mean), four_digits(error));
  }
  const int first = first_decade(error, 2);
  const int last = first - 1;
  if (first >= kLowestPlainDecade && first <= kHighestPlainDecade) {
    return fmt::format("{} ± {}", to_place(mean, last), to_place(error, last));
  }
  const int digits = mean == 0.0 ? 0 : std::max(first_decade(mean, 2) - last, 0);
  return fmt::format("{:.{}e} ± {:.1e}", mean, digits, error);
}

ReportTable means_table(const RunGroups& groups) {
  ReportTable table{
      .title = "Means by task and method",
      .note =
          "Means over seeds; the number after ± is the standard error. Coverage is the fraction of "
          "observations inside the intervals predicted for them. Width is the mean width of these "
          "intervals in the units of the task. Lengthscale is the lengthscale of the last round. "
          "Methods without a model have no coverage, width or lengthscale.",
      .header = {"task", "method", "seeds", "simple regret", "rank", "cumulative regret", "rank",
                 "coverage", "width", "lengthscale"},
      .rows = {}};
  for (const std::string& task : groups.tasks) add_means_rows(table, groups_of_task(groups, task));
  return table;
}

std::vector<RankedMethod> rank_methods(const FinalScores& scores, const RunGroups& groups,
                                       Quantity regret) {
  const std::vector<RankSummary> summaries = summarise_ranks(scores.scores);
  const std::optional<CriticalDifference> difference = difference_if_any(scores);
  std::vector<RankedMethod> methods;
  for (const std::size_t i : best_first(summaries)) {
    std::vector<double> regrets;
    for (const std::string& task : scores.tasks) {
      const RunGroup* group = groups.find(task, scores.methods[i]);
      regrets.push_back(normalised_mean(*group, regret, groups.steps));
    }
    regrets = without_nan(std::move(regrets));
    methods.push_back({.method = scores.methods[i],
                       .ranks = summaries[i],
                       .letters = difference ? group_letters(i, *difference) : "",
                       .normalised_regret = experiment::mean(regrets),
                       .normalised_error = experiment::standard_error(regrets)});
  }
  return methods;
}

ReportTable rank_table(const FinalScores& scores, const RunGroups& groups, Quantity regret) {
  const bool simple = regret == Quantity::simple_regret;
  ReportTable table{.title = simple ? "Ranks by simple regret" : "Ranks by cumulative regret",
                    .note = rank_note(scores, regret),
                    .header = {"method", "mean rank", "not told apart", "normalised regret"},
                    .rows = {}};
  table.header.insert(table.header.end(), scores.tasks.begin(), scores.tasks.end());
  for (const RankedMethod& method : rank_methods(scores, groups, regret)) {
    std::vector<std::string> row = {
        method.method, with_error(method.ranks.mean, method.ranks.error), method.letters,
        with_error(method.normalised_regret, method.normalised_error)};
    for (const double rank : method.ranks.ranks) row.push_back(four_digits(rank));
    table.rows.push_back(row);
  }
  return table;
}

ReportTable paired_table(const RunGroups& groups, Quantity regret, const std::string& reference) {
  const bool simple = regret == Quantity::simple_regret;
  ReportTable table{
      .title = fmt::format("{} regret against {}", simple ? "Simple" : "Cumulative", reference),
      .note = paired_note(reference),
      .header = {"task", "method", "seeds", "difference", "95 % interval", "normalised", "wins",
                 "losses", "verdict"},
      .rows = {}};
  std::vector<std::vector<TaskComparison>> by_method(groups.methods.size());
  for (const std::string& task : groups.tasks) {
    for (std::size_t i = 0; i < groups.methods.size(); ++i) {
      const std::string& method = groups.methods[i];
      if (method == reference) continue;
      const auto comparison = compare_regret(groups, task, method, reference, regret);
      if (!comparison) continue;
      table.rows.push_back(paired_row(task, method, *comparison));
      by_method[i].push_back(*comparison);
    }
  }
  for (std::size_t i = 0; i < groups.methods.size(); ++i) {
    if (!by_method[i].empty()) table.rows.push_back(pooled_row(groups.methods[i], by_method[i]));
  }
  return table;
}

ReportTable calibration_table(const RunGroups& groups) {
  ReportTable table{
      .title = "Calibration",
      .note =
          "Each column with a level shows the percentage of observations inside the central "
          "interval of that level. Calibrated predictions match the level of the column; higher "
          "numbers mean that predictions are too cautious, lower numbers that they are "
          "overconfident. The PIT distance measures how far the predicted probabilities are from "
          "uniform (0 is best). The log score (higher is better) and the CRPS (lower is better) "
          "assess sharpness and calibration together, in the units of the task.",
      .header = {"task", "method"},
      .rows = {}};
  for (const double level : kCoverageLevels) {
    table.header.push_back(fmt::format("{:.3g} %", 100.0 * level));
  }
  table.header.insert(table.header.end(), {"PIT distance", "log score", "CRPS"});
  for (const RunGroup& group : groups.groups) {
    std::vector<CalibrationFigures> runs;
    runs.reserve(group.runs.size());
    for (const RunOutcome& run : group.runs) runs.push_back(run.totals.calibration);
    const CalibrationFigures means = experiment::mean_figures(runs);
    if (means.predictions == 0.0) continue;
    std::vector<std::string> row = {group.task, group.method};
    for (const double coverage : means.coverage) {
      row.push_back(fmt::format("{:.1f}", 100.0 * coverage));
    }
    for (const double score : {means.pit_distance, means.log_score, means.crps}) {
      row.push_back(four_digits(score));
    }
    table.rows.push_back(row);
  }
  return table;
}

ReportTable time_table(const RunGroups& groups) {
  ReportTable table{.title = "Seconds",
                    .note =
                        "Wall-clock seconds spent on suggestions, including learning and search "
                        "but not the task itself; means over seeds with their standard errors.",
                    .header = {"task", "method", "seconds per run", "seconds per suggestion"},
                    .rows = {}};
  for (const RunGroup& group : groups.groups) {
    const Curve& seconds = group[Quantity::seconds];
    const double total = seconds.mean.back();
    table.rows.push_back({group.task, group.method, with_error(total, seconds.error.back()),
                          fmt::format("{:.3g}", total / static_cast<double>(groups.steps))});
  }
  return table;
}

}  // namespace oscbo::report
