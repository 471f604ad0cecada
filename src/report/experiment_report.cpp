#include "report/experiment_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "report/report_figures.hpp"
#include "report/report_tables.hpp"

namespace oscbo::report {
namespace {

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name);
  return text;
}

std::string grid_size(const RunGroups& groups) {
  return fmt::format(
      "{}, {}, {}, {} after the initial design", base::counted(groups.tasks.size(), "task"),
      base::counted(groups.methods.size(), "method"), base::counted(groups.seeds, "seed"),
      base::counted(groups.steps, "evaluation"));
}

/// progress_note returns a warning if runs are missing, because means over different numbers of
/// seeds are not comparable.
std::string progress_note(const RunGroups& groups) {
  std::size_t finished = 0;
  for (const RunGroup& group : groups.groups) finished += group.runs.size();
  const std::size_t total =
      groups.tasks.size() * groups.methods.size() * static_cast<std::size_t>(groups.seeds);
  if (finished == total) return {};
  return fmt::format(
      "\n\nThe experiment is not complete: {} of {} runs are finished. Means are over the seeds "
      "that each method has so far, and ranks are over the tasks on which every method has "
      "finished runs.",
      finished, total);
}

/// alike_the_best returns how many other methods share the letter of the best one.
std::ptrdiff_t alike_the_best(const std::vector<RankedMethod>& methods) {
  const std::string& letter = methods.front().letters;
  return std::ranges::count_if(methods,
                               [&](const RankedMethod& method) {
                                 return method.letters == letter ||
                                        method.letters.starts_with(letter + ' ');
                               }) -
         1;
}

std::string leader(const FinalScores& scores, const RunGroups& groups, Quantity regret,
                   std::string_view name) {
  const std::vector<RankedMethod> methods = rank_methods(scores, groups, regret);
  const RankedMethod& best = methods.front();
  std::string text =
      fmt::format("\n- lowest mean rank in {} regret: `{}`, {} of {}", name, best.method,
                  with_error(best.ranks.mean, best.ranks.error), methods.size());
  if (best.letters.empty()) return text;
  const std::ptrdiff_t alike = alike_the_best(methods);
  return text + (alike == 0 ? ", told apart from all others by the ranks"
                            : fmt::format(", not told apart from {} by the ranks",
                                          base::counted(alike, "other")));
}

ReportSection summary_section(const RunGroups& groups) {
  ReportSection section{.title = "Summary", .text = {}, .tables = {}, .figures = {}};
  section.text = fmt::format(
      "{} optimised {}. Regret is the distance to the known maximum, so lower is better: simple "
      "regret judges the best point found, cumulative regret all points tried on the way. Runs "
      "with the same seed began with the same initial design.{}",
      joined_names(groups.methods), joined_names(groups.tasks), progress_note(groups));
  const std::vector<std::string> methods = methods_with_runs(groups);
  const FinalScores simple = final_scores(groups, methods, Quantity::simple_regret);
  const FinalScores cumulative = final_scores(groups, methods, Quantity::cumulative_regret);
  if (!simple.tasks.empty()) {
    section.text += '\n' + leader(simple, groups, Quantity::simple_regret, "simple") +
                    leader(cumulative, groups, Quantity::cumulative_regret, "cumulative");
    section.tables.push_back(rank_table(simple, groups, Quantity::simple_regret));
    section.tables.push_back(rank_table(cumulative, groups, Quantity::cumulative_regret));
  }
  return section;
}

ReportSection paired_section(const RunGroups& groups, const std::string& reference) {
  return {.title = "Paired comparisons",
          .text = fmt::format(
              "Means over few seeds depend on the luck of the initial designs. Here every method "
              "is compared with `{}` on the same seeds, which removes this effect.",
              reference),
          .tables = {paired_table(groups, Quantity::simple_regret, reference),
                     paired_table(groups, Quantity::cumulative_regret, reference)},
          .figures = {}};
}

std::string diagnostics_text(const RunGroups& groups) {
  std::string text =
      "A method can be trusted as far as its intervals hold. Before each observation, an interval "
      "was predicted for it and recorded. Coverage is the fraction of observations that then fell "
      "inside their interval. Narrow intervals are useful only if they cover the observations.";
  if (!std::isnan(groups.nominal_coverage)) {
    text += fmt::format(
        " The intervals of all methods use the same beta, even if a method queries with a "
        "multiplier of its own. At this beta, the intervals of calibrated Gaussian predictions "
        "cover {:.1f} %.",
        100.0 * groups.nominal_coverage);
  }
  return text;
}

}  // namespace

Report experiment_report(const RunGroups& groups, const std::string& reference) {
  Report report{.title = "Comparison of methods", .subtitle = grid_size(groups), .sections = {}};
  report.sections.push_back(summary_section(groups));
  report.sections.push_back({.title = "Simple regret",
                             .text = "How good is the best point after a given number of "
                                     "evaluations? This matters when only the "
                                     "final result is used.",
                             .tables = {},
                             .figures = {regret_figure(groups, Quantity::simple_regret)}});
  report.sections.push_back(
      {.title = "Cumulative regret",
       .text = "By how much did all evaluations together fall short of the maximum? This matters "
               "when a poor evaluation is itself a loss.",
       .tables = {},
       .figures = {regret_figure(groups, Quantity::cumulative_regret)}});
  report.sections.push_back({.title = "Means",
                             .text = "The numbers behind the curves, at the end of the runs.",
                             .tables = {means_table(groups)},
                             .figures = {}});
  report.sections.push_back(paired_section(groups, reference));
  report.sections.push_back({.title = "Calibration and diagnostics",
                             .text = diagnostics_text(groups),
                             .tables = {calibration_table(groups)},
                             .figures = {diagnostics_figure(groups)}});
  report.sections.push_back({.title = "Computation time",
                             .text = "The time that suggestions took on the machine that made "
                                     "these runs.",
                             .tables = {time_table(groups)},
                             .figures = {time_figure(groups)}});
  return report;
}

}  // namespace oscbo::report
