#include "paper/claims.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "experiment/statistics.hpp"
#include "report/paired_runs.hpp"
#include "report/report_figures.hpp"

namespace oscbo::paper {
namespace {

constexpr double kSignificance = 0.05;
/// A method is competitive if it is behind by at most this fraction of the initial regret.
constexpr double kMargin = 0.05;

double simple_regret_of(const report::RunOutcome& run) { return run.totals.simple_regret; }
double cumulative_regret_of(const report::RunOutcome& run) { return run.totals.cumulative_regret; }
double coverage_of(const report::RunOutcome& run) { return run.totals.coverage(); }
double mean_width_of(const report::RunOutcome& run) { return run.totals.calibration.mean_width; }
double log_lengthscale_of(const report::RunOutcome& run) {
  return std::log(run.totals.lengthscale);
}
double lengthscale_path_of(const report::RunOutcome& run) { return run.lengthscale_path; }

double mean_initial_regret(const report::RunGroup& group) {
  return experiment::mean(report::run_values(group, &experiment::RunTotals::initial_regret));
}

/// The tasks with and without enough seeds for a verdict.
struct Support {
  std::vector<std::string> strong = {};  // tasks with at least kFewestPairs seeds
  std::vector<std::string> weak = {};    // all other tasks, including those without runs

  /// enough returns whether at least two thirds of the tasks have enough seeds.
  [[nodiscard]] bool enough() const {
    return !strong.empty() && 3 * strong.size() >= 2 * (strong.size() + weak.size());
  }

  /// text names the weak tasks at the end of a sentence.
  [[nodiscard]] std::string text() const {
    if (weak.empty()) return "";
    return fmt::format("; fewer than {} seeds on {}", report::kFewestPairs, fmt::join(weak, ", "));
  }
};

/// find_support takes the minimum over the methods as the number of seeds of a task.
Support find_support(const report::RunGroups& groups, const std::vector<std::string>& methods) {
  Support support;
  for (const std::string& task : groups.tasks) {
    const bool enough = std::ranges::all_of(methods, [&](const std::string& method) {
      const report::RunGroup* group = groups.find(task, method);
      return group != nullptr && group->runs.size() >= report::kFewestPairs;
    });
    (enough ? support.strong : support.weak).push_back(task);
  }
  return support;
}

/// differences_on_task returns the differences between the two methods on a task, one per common
/// seed, without NaN.
std::vector<double> differences_on_task(const report::RunGroups& groups, const std::string& task,
                                        const std::string& method, const std::string& reference,
                                        OutcomeMeasure measure) {
  std::vector<double> differences;
  for (const report::PairedOutcomes& pair :
       report::paired_outcomes(groups, task, method, reference)) {
    const double difference = measure(*pair.method) - measure(*pair.reference);
    if (!std::isnan(difference)) differences.push_back(difference);
  }
  return differences;
}

/// difference_text describes the difference in regret over tasks, and names the tasks with too few
/// seeds.
std::string difference_text(const report::RunGroups& groups, const std::string& method,
                            const std::string& reference,
                            const report::PairedComparison& comparison) {
  const std::string weak = find_support(groups, {method, reference}).text();
  if (comparison.pairs == 0) return fmt::format("{} - {}: no common seeds", method, reference);
  if (std::isnan(comparison.lower)) {
    return fmt::format("{} - {} {:+.3g} of the initial regret, too few seeds for an interval{}",
                       method, reference, comparison.mean, weak);
  }
  return fmt::format("{} - {} {:+.3g} [{:+.3g}, {:+.3g}] of the initial regret{}", method,
                     reference, comparison.mean, comparison.lower, comparison.upper, weak);
}

/// The numbers of tasks with an interval above zero and below zero.
struct Votes {
  int above = 0;
  int below = 0;
  int tasks = 0;
  Support support = {};

  [[nodiscard]] std::string text() const {
    return fmt::format("above on {}, below on {}, undecided on {} of {}{}", above, below,
                       tasks - above - below, base::counted(tasks, "task"), support.text());
  }
};

/// majority returns `reproduced` if more than half of the tasks speak for the claim, and
/// `not_reproduced` if more than half speak against it.
Verdict majority(int for_claim, int against, std::size_t tasks) {
  if (2 * for_claim > static_cast<int>(tasks)) return Verdict::reproduced;
  if (2 * against > static_cast<int>(tasks)) return Verdict::not_reproduced;
  return Verdict::unclear;
}

Votes vote(const report::RunGroups& groups, const std::string& method, const std::string& reference,
           OutcomeMeasure measure) {
  Votes votes{.support = find_support(groups, {method, reference})};
  for (const std::string& task : groups.tasks) {
    const report::PairedComparison comparison =
        report::compare_stratified({differences_on_task(groups, task, method, reference, measure)});
    ++votes.tasks;
    if (comparison.decided()) ++(comparison.lower > 0.0 ? votes.above : votes.below);
  }
  return votes;
}

/// The position of a method by mean rank.
struct Standing {
  std::string text = {};
  std::size_t position = 0;  // 1 for the lowest mean rank
  std::size_t methods = 0;
  bool told_apart = false;   // Friedman's test finds a difference between methods
  bool behind_best = false;  // behind the best by at least the critical difference
  bool known = false;        // whether there are enough tasks and seeds for a verdict
};

Standing standing(const report::RunGroups& groups, const std::string& method,
                  report::Quantity regret) {
  const report::FinalScores scores =
      report::final_scores(groups, report::methods_with_runs(groups), regret);
  const Support support = find_support(groups, scores.methods);
  const auto found = std::ranges::find(scores.methods, method);
  if (scores.tasks.size() < 2 || scores.methods.size() < 2 || found == scores.methods.end()) {
    return {.text = "fewer than two tasks with runs of all methods"};
  }
  const std::vector<report::RankSummary> ranks = report::summarise_ranks(scores.scores);
  const report::CriticalDifference difference = report::critical_difference(scores.scores);
  const auto own = static_cast<std::size_t>(found - scores.methods.begin());
  const std::size_t best = report::best_first(ranks).front();
  const auto ahead = std::ranges::count_if(
      ranks, [&](const report::RankSummary& other) { return other.mean < ranks[own].mean; });
  const bool close_to_best = std::ranges::any_of(difference.groups, [&](const auto& group) {
    return std::ranges::find(group, own) != group.end() &&
           std::ranges::find(group, best) != group.end();
  });
  Standing result{.position = static_cast<std::size_t>(ahead) + 1,
                  .methods = scores.methods.size(),
                  .told_apart = (difference.p_value < kSignificance),
                  .behind_best = !close_to_best,
                  .known = support.enough()};
  result.text = fmt::format(
      "mean rank {:.2f}, place {} of {}; best {:.2f} ({}); critical difference {:.2f}, "
      "Friedman p = {:.2g}, {}{}",
      ranks[own].mean, result.position, result.methods, ranks[best].mean, scores.methods[best],
      difference.difference, difference.p_value, base::counted(scores.tasks.size(), "task"),
      support.text());
  return result;
}

Verdict among_strongest(const Standing& standing) {
  if (!standing.known) return Verdict::unclear;
  if (standing.behind_best) return Verdict::not_reproduced;
  const bool better_half = standing.position <= standing.methods / 2;
  return better_half && standing.told_apart ? Verdict::reproduced : Verdict::unclear;
}

constexpr const char* kStrongestRule =
    "Reproduced: in the better half by mean rank, and Friedman's test tells the methods apart (p < "
    "5 %). Not reproduced: behind the best by the critical difference or more. Either verdict "
    "requires 6 seeds of every method on two thirds of the tasks.";

PaperClaim strong_simple_regret(const PaperResults& results) {
  const Standing place = standing(results.main, "oscbo", report::Quantity::simple_regret);
  return {.statement = "oscbo is among the strongest methods in final simple regret",
          .numbers = place.text,
          .rule = kStrongestRule,
          .verdict = among_strongest(place)};
}

/// A quantity in which oscbo should follow gp-ucb-mll, during the run and at its end.
struct Tracked {
  const char* name;
  report::Quantity quantity;
  OutcomeMeasure measure;
};

constexpr std::array kTracked = {
    Tracked{"simple regret", report::Quantity::simple_regret, simple_regret_of},
    Tracked{"cumulative regret", report::Quantity::cumulative_regret, cumulative_regret_of},
    Tracked{"coverage", report::Quantity::coverage, coverage_of},
    Tracked{"mean width", report::Quantity::mean_width, mean_width_of},
    Tracked{"lengthscale", report::Quantity::lengthscale, log_lengthscale_of},
};

/// is_closest returns whether no other method is closer to gp-ucb-mll on average over tasks.
bool is_closest(const report::RunGroups& groups, report::Quantity quantity) {
  const double own = mean_relative_distance(groups, "oscbo", "gp-ucb-mll", quantity);
  return std::ranges::none_of(groups.methods, [&](const std::string& other) {
    return other != "gp-ucb-mll" &&
           mean_relative_distance(groups, other, "gp-ucb-mll", quantity) < own;
  });
}

/// How close oscbo is to gp-ucb-mll.
struct Closeness {
  int closest = 0;    // quantities in which oscbo is the closest method
  int differing = 0;  // paired comparisons of final values that exclude zero
  int comparisons = 0;
  bool known = true;  // whether every distance is a number
  std::string text = {};
};

Closeness closeness(const report::RunGroups& groups) {
  Closeness result;
  for (const Tracked& tracked : kTracked) {
    const double distance = mean_relative_distance(groups, "oscbo", "gp-ucb-mll", tracked.quantity);
    if (std::isnan(distance)) {
      result.known = false;
      continue;
    }
    const bool closest = is_closest(groups, tracked.quantity);
    if (closest) ++result.closest;
    const Votes votes = vote(groups, "oscbo", "gp-ucb-mll", tracked.measure);
    result.differing += votes.above + votes.below;
    result.comparisons += votes.tasks;
    result.text +=
        fmt::format("{} {:.0f} %{}, ", tracked.name, 100.0 * distance, closest ? " (closest)" : "");
  }
  return result;
}

Verdict closeness_verdict(const Closeness& close) {
  const auto quantities = static_cast<int>(kTracked.size());
  if (2 * close.closest < quantities || 2 * close.differing > close.comparisons) {
    return Verdict::not_reproduced;
  }
  const bool tracks = close.closest >= quantities - 1 && 4 * close.differing <= close.comparisons;
  return tracks ? Verdict::reproduced : Verdict::unclear;
}

PaperClaim tracks_likelihood(const PaperResults& results) {
  PaperClaim claim{
      .statement = "oscbo tracks gp-ucb-mll in regret, sharpness, calibration and lengthscale",
      .rule =
          "Reproduced: oscbo is the closest method to gp-ucb-mll in all quantities or all but one, "
          "and at most a quarter of the intervals of paired differences of final values, over all "
          "quantities and tasks, exclude zero. Not reproduced: oscbo is the closest method in "
          "fewer than half of the quantities, or more than half of these intervals exclude zero. "
          "Only tasks with 6 seeds of every method count. Either verdict requires that two thirds "
          "of the tasks count."};
  const std::vector<std::string> methods = report::methods_with_runs(results.main);
  const Support support = find_support(results.main, methods);
  const Closeness close = closeness(select_groups(results.main, support.strong, methods));
  // "Closest" needs at least one method besides these two.
  if (!close.known || methods.size() < 3) {
    claim.numbers = "too few methods with runs on common tasks" + support.text();
    return claim;
  }
  claim.numbers = fmt::format(
      "distance of the mean curves: {}final values differ in {} of {} paired comparisons{}",
      close.text, close.differing, close.comparisons, support.text());
  if (support.enough()) claim.verdict = closeness_verdict(close);
  return claim;
}

PaperClaim best_cumulative_rank(const PaperResults& results) {
  const Standing place = standing(results.main, "oscbo-l1", report::Quantity::cumulative_regret);
  Verdict verdict = Verdict::unclear;
  if (place.known && place.behind_best) verdict = Verdict::not_reproduced;
  if (place.known && place.position == 1 && place.told_apart) verdict = Verdict::reproduced;
  return {.statement = "oscbo-l1 has the best mean rank in cumulative regret",
          .numbers = place.text,
          .rule =
              "Reproduced: lowest mean rank, and Friedman's test tells the methods apart (p < 5 "
              "%). Not reproduced: behind the best by the critical difference or more. Either "
              "verdict requires 6 seeds of every method on two thirds of the tasks.",
          .verdict = verdict};
}

PaperClaim weaker_simple_regret(const PaperResults& results) {
  const report::PairedComparison comparison =
      compare_over_tasks(results.main, "oscbo-l1", "oscbo", simple_regret_of);
  Verdict verdict = Verdict::unclear;
  if (comparison.decided() && find_support(results.main, {"oscbo-l1", "oscbo"}).enough()) {
    verdict = comparison.lower > 0.0 ? Verdict::reproduced : Verdict::not_reproduced;
  }
  return {.statement = "oscbo-l1 is slightly weaker than oscbo in final simple regret",
          .numbers = difference_text(results.main, "oscbo-l1", "oscbo", comparison),
          .rule =
              "Reproduced: the interval of the mean difference over tasks, in units of the initial "
              "regret, lies above zero. Not reproduced: it lies below zero. Either verdict "
              "requires 6 seeds on two thirds of the tasks.",
          .verdict = verdict};
}

/// all_of returns `reproduced` if all verdicts are `reproduced`, and `not_reproduced` if at least
/// one verdict is `not_reproduced`.
Verdict all_of(std::span<const Verdict> verdicts) {
  if (std::ranges::find(verdicts, Verdict::not_reproduced) != verdicts.end()) {
    return Verdict::not_reproduced;
  }
  const bool reproduced =
      std::ranges::all_of(verdicts, [](Verdict verdict) { return verdict == Verdict::reproduced; });
  return reproduced ? Verdict::reproduced : Verdict::unclear;
}

PaperClaim robust_to_smoothness(const PaperResults& results) {
  std::vector<Verdict> verdicts;
  std::string numbers;
  for (const char* name : {"nu-0.5", "nu-1.5", "nu-2.5"}) {
    const RegimeResults& regime = find_regime(results, name);
    const Standing place = standing(regime.groups, "oscbo", report::Quantity::simple_regret);
    verdicts.push_back(among_strongest(place));
    numbers +=
        fmt::format("{}{}: {}", numbers.empty() ? "" : "; ", regime.regime.title, place.text);
  }
  return {.statement = "oscbo stays among the strongest methods for every smoothness of the kernel",
          .numbers = numbers,
          .rule =
              "The rule of the first claim is applied to each of the three kernels. Reproduced: "
              "reproduced for all three. Not reproduced: not reproduced for at least one.",
          .verdict = all_of(verdicts)};
}

/// How far a method is behind the best other method in simple regret.
struct Gap {
  std::string text = "no common seeds";
  bool within_margin = false;
  bool beyond_margin = false;
};

/// gap_to_best leaves within_margin and beyond_margin false unless there are enough seeds of every
/// method.
Gap gap_to_best(const report::RunGroups& groups, const std::string& method) {
  Gap gap;
  report::PairedComparison hardest;
  for (const std::string& other : groups.methods) {
    if (other == method) continue;
    // All methods share the initial designs, so the difference from the best method is the largest.
    const report::PairedComparison comparison =
        compare_over_tasks(groups, method, other, simple_regret_of);
    if (comparison.pairs == 0) continue;
    if (hardest.pairs != 0 && comparison.mean <= hardest.mean) continue;
    hardest = comparison;
    gap.text = difference_text(groups, method, other, comparison);
  }
  if (!find_support(groups, groups.methods).enough()) return gap;
  gap.within_margin = hardest.upper < kMargin;
  gap.beyond_margin = hardest.lower > kMargin;
  return gap;
}

PaperClaim competitive_with_logei(const PaperResults& results) {
  const Gap gap = gap_to_best(find_regime(results, "logei").groups, "oscbo");
  PaperClaim claim{
      .statement = "oscbo stays competitive if LogEI replaces UCB",
      .numbers = gap.text,
      .rule =
          "oscbo is compared with the best other method, which is the one with the lowest mean "
          "regret in units of the initial regret. Reproduced: the interval of the mean difference "
          "over tasks ends below 0.05, so oscbo is behind by less than 0.05. Not reproduced: the "
          "interval begins above 0.05. Either verdict requires 6 seeds of every method on two "
          "thirds of the tasks."};
  if (gap.within_margin) claim.verdict = Verdict::reproduced;
  if (gap.beyond_margin) claim.verdict = Verdict::not_reproduced;
  return claim;
}

PaperClaim behind_with_ard(const PaperResults& results) {
  const report::RunGroups& groups = find_regime(results, "ard").groups;
  const report::PairedComparison comparison =
      compare_over_tasks(groups, "oscbo", "gp-ucb-mll", simple_regret_of);
  std::string numbers = difference_text(groups, "oscbo", "gp-ucb-mll", comparison);
  double largest = 0.0;
  std::string worst_task;
  bool has_lander = false;
  for (const std::string& task : groups.tasks) {
    const report::RunGroups alone = select_groups(groups, {task}, groups.methods);
    const report::PairedComparison on_task =
        compare_over_tasks(alone, "oscbo", "gp-ucb-mll", simple_regret_of);
    if (on_task.pairs == 0) continue;
    has_lander = has_lander || is_lander(task);
    numbers += fmt::format("; on {} {:+.3g}", task, on_task.mean);
    if (on_task.mean > largest) {
      largest = on_task.mean;
      worst_task = task;
    }
  }
  Verdict verdict = Verdict::unclear;
  const bool enough = find_support(groups, {"oscbo", "gp-ucb-mll"}).enough();
  if (comparison.decided() && enough && has_lander) {
    const bool as_said = comparison.lower > 0.0 && is_lander(worst_task);
    verdict = as_said ? Verdict::reproduced : Verdict::not_reproduced;
  }
  return {.statement = "with ARD oscbo is slightly behind gp-ucb-mll, mostly because of the lander",
          .numbers = numbers,
          .rule =
              "Reproduced: the interval of the mean difference over tasks lies above zero and the "
              "lander has the largest difference. Not reproduced: the interval lies below zero, or "
              "it lies above zero but the lander does not have the largest difference. Either "
              "verdict requires 6 seeds on two thirds of the tasks, and at least one seed on the "
              "lander.",
          .verdict = verdict};
}

PaperClaim schedule_collapses(const PaperResults& results) {
  const Support support = find_support(results.main, {"a-gp-ucb", "gp-ucb-mll"});
  int collapsed = 0;
  std::string numbers;
  for (const std::string& task : support.strong) {
    const report::Curve& curve =
        (*results.main.find(task, "a-gp-ucb"))[report::Quantity::lengthscale];
    const double other =
        (*results.main.find(task, "gp-ucb-mll"))[report::Quantity::lengthscale].mean.back();
    if (curve.mean.back() < std::min(curve.mean.front(), other) / 2.0) ++collapsed;
    numbers += fmt::format("{}{} {:.2g} to {:.2g} (gp-ucb-mll {:.2g})", numbers.empty() ? "" : "; ",
                           task, curve.mean.front(), curve.mean.back(), other);
  }
  return {
      .statement = "the lengthscale of a-gp-ucb collapses",
      .numbers = (numbers.empty() ? "no task" : numbers) + support.text(),
      .rule =
          "The lengthscale collapses on a task if its last value is less than half of its first "
          "value, and less than half of the last value of gp-ucb-mll. Reproduced: more than half "
          "of the tasks have a collapse. Not reproduced: more than half of the tasks have no "
          "collapse. Tasks with fewer than 6 seeds count neither way.",
      .verdict = majority(collapsed, static_cast<int>(support.strong.size()) - collapsed,
                          results.main.tasks.size())};
}

PaperClaim longer_lengthscale(const PaperResults& results) {
  const Votes votes = vote(results.main, "oscbo-l1", "oscbo", log_lengthscale_of);
  return {.statement = "oscbo-l1 keeps a longer lengthscale than oscbo",
          .numbers = "last lengthscale of oscbo-l1 against that of oscbo: " + votes.text(),
          .rule =
              "The rule uses the interval of the paired difference of log lengthscales on each "
              "task with 6 seeds or more. Reproduced: it lies above zero on more than half of the "
              "tasks. Not reproduced: it lies below zero on more than half of the tasks.",
          .verdict = majority(votes.above, votes.below, results.main.tasks.size())};
}

PaperClaim fewer_corrections(const PaperResults& results) {
  const Votes votes = vote(results.main, "oscbo-l1", "oscbo", lengthscale_path_of);
  std::string numbers = "sum of |change of the log lengthscale| of oscbo-l1 against oscbo: ";
  for (const std::string& task : results.main.tasks) {
    const report::RunGroup* linear = results.main.find(task, "oscbo-l1");
    const report::RunGroup* quadratic = results.main.find(task, "oscbo");
    if (linear == nullptr || quadratic == nullptr) continue;
    numbers += fmt::format("{} {:.2g} against {:.2g}; ", task,
                           (*linear)[report::Quantity::lengthscale_path].mean.back(),
                           (*quadratic)[report::Quantity::lengthscale_path].mean.back());
  }
  return {.statement = "oscbo-l1 corrects its lengthscale less than oscbo",
          .numbers = numbers + votes.text(),
          .rule =
              "The rule compares the sums of |change of the log lengthscale|. It uses the interval "
              "of their paired difference on each task with 6 seeds or more. Reproduced: the "
              "interval lies below zero on more than half of the tasks. Not reproduced: it lies "
              "above zero on more than half of the tasks.",
          .verdict = majority(votes.below, votes.above, results.main.tasks.size())};
}

/// tabicl_claim returns a claim about tabicl that has not been checked.
PaperClaim tabicl_claim(std::string statement, std::string rule) {
  return {.statement = std::move(statement),
          .numbers = "tabicl was not run, because no file with its weights was named",
          .rule = std::move(rule),
          .verdict = Verdict::unchecked};
}

/// competitive_not_best also returns `not_reproduced` if the method is the best and the methods are
/// told apart.
Verdict competitive_not_best(const Standing& standing) {
  const Verdict strong = among_strongest(standing);
  if (standing.position != 1 || strong != Verdict::reproduced) return strong;
  return Verdict::not_reproduced;
}

PaperClaim competitive_baseline(const PaperResults& results) {
  PaperClaim claim = tabicl_claim(
      "tabicl is competitive in final simple regret, but not the best method",
      "Reproduced: in the better half by mean rank, but without the lowest mean rank, and "
      "Friedman's test tells the methods apart (p < 5 %). Not reproduced: behind the best by the "
      "critical difference or more, or lowest mean rank while Friedman's test tells the methods "
      "apart. Either verdict requires 6 seeds of every method on two thirds of the tasks.");
  if (!contains(results.main.methods, kTabicl)) return claim;
  const Standing place = standing(results.main, kTabicl, report::Quantity::simple_regret);
  claim.numbers = place.text;
  claim.verdict = competitive_not_best(place);
  return claim;
}

PaperClaim struggling_baseline(const PaperResults& results) {
  PaperClaim claim = tabicl_claim(
      "tabicl struggles if LogEI replaces UCB (a sentence that is commented out in the paper's "
      "source)",
      "tabicl is compared with the best other method, as in the claim about oscbo and LogEI. "
      "Reproduced: the interval of the mean difference over tasks begins above 0.05. Not "
      "reproduced: the interval ends below 0.05. Either verdict requires 6 seeds of every method "
      "on two thirds of the tasks.");
  if (!contains(results.main.methods, kTabicl)) return claim;
  const Gap gap = gap_to_best(find_regime(results, "logei").groups, kTabicl);
  claim.numbers = gap.text;
  claim.verdict = Verdict::unclear;
  if (gap.beyond_margin) claim.verdict = Verdict::reproduced;
  if (gap.within_margin) claim.verdict = Verdict::not_reproduced;
  return claim;
}

}  // namespace

report::PairedComparison compare_over_tasks(const report::RunGroups& groups,
                                            const std::string& method, const std::string& reference,
                                            OutcomeMeasure measure) {
  std::vector<std::vector<double>> by_task;
  for (const std::string& task : groups.tasks) {
    std::vector<double> differences = differences_on_task(groups, task, method, reference, measure);
    if (differences.empty()) continue;
    const double unit = mean_initial_regret(*groups.find(task, method));
    if (!(unit > 0.0)) continue;
    for (double& difference : differences) difference = report::normalised_regret(difference, unit);
    by_task.push_back(std::move(differences));
  }
  return report::compare_stratified(by_task);
}

std::vector<PaperClaim> check_claims(const PaperResults& results) {
  PaperResults in_paper = results;
  in_paper.main =
      select_groups(results.main, results.main.tasks, methods_in_paper(results.main.methods));
  return {strong_simple_regret(in_paper), tracks_likelihood(in_paper),
          best_cumulative_rank(in_paper), weaker_simple_regret(in_paper),
          robust_to_smoothness(in_paper), competitive_with_logei(in_paper),
          behind_with_ard(in_paper),      schedule_collapses(in_paper),
          longer_lengthscale(in_paper),   fewer_corrections(in_paper),
          competitive_baseline(in_paper), struggling_baseline(in_paper)};
}

report::ReportTable claims_table(const std::vector<PaperClaim>& claims) {
  report::ReportTable table{.title = "The paper's claims and these results",
                            .header = {"claim", "verdict", "numbers", "rule"}};
  for (const PaperClaim& claim : claims) {
    table.rows.push_back(
        {claim.statement, std::string(to_string(claim.verdict)), claim.numbers, claim.rule});
  }
  return table;
}

}  // namespace oscbo::paper

namespace oscbo {

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::reproduced: return "reproduced";
    case Verdict::not_reproduced: return "not reproduced";
    case Verdict::unchecked: return "unchecked";
    case Verdict::unclear: break;
  }
  return "unclear";
}

}  // namespace oscbo
