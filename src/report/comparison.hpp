// Comparisons of methods: ranks over tasks and their significance, and paired differences between
// two methods with the same seeds.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace oscbo::report {

/// Values of several methods on several tasks, lower is better: values[task][method].
using ScoreTable = std::vector<std::vector<double>>;

/// The ranks of one method over tasks.
struct RankSummary {
  std::vector<double> ranks = {};  // per task, 1 = best; ties share the mean rank
  double mean = 0.0;
  double error = 0.0;  // standard error over tasks; NaN for one task
};

/// summarise_ranks ranks the methods within every task and returns one entry per method. Like
/// critical_difference, it throws Error (invalid_value) if a score is missing or NaN.
[[nodiscard]] std::vector<RankSummary> summarise_ranks(const ScoreTable& scores);

/// best_first returns the methods, by index, in the order of their mean ranks.
[[nodiscard]] std::vector<std::size_t> best_first(std::span<const RankSummary> methods);

/// Friedman's test of "all methods are alike" and Nemenyi's critical difference at 5 %. With this
/// number of tasks, a difference between mean ranks is not significant if it is smaller than the
/// critical difference.
struct CriticalDifference {
  double statistic = 0.0;  // Friedman's chi-square, with ties corrected for
  double p_value = 1.0;
  double difference = 0.0;
  /// The maximal sets of methods, given by index, whose mean ranks differ by less than
  /// `difference`. Sets and the methods in a set are ordered best first. A method that differs from
  /// all others is a set of its own.
  std::vector<std::vector<std::size_t>> groups = {};
};

/// critical_difference needs at least two methods and two tasks; it throws Error (invalid_value)
/// for fewer.
[[nodiscard]] CriticalDifference critical_difference(const ScoreTable& scores);

/// With fewer pairs, no difference is significant at 5 %; PairedComparison says why.
inline constexpr std::size_t kFewestPairs = 6;

/// Differences method - reference over common seeds; negative means that the method is better.
struct PairedComparison {
  std::size_t pairs = 0;
  double mean = 0.0;
  /// 95 % bootstrap interval of the mean difference; NaN for fewer than 2 pairs. The interval
  /// never leaves the range of the n differences. If the differences are symmetric about their true
  /// mean, all of them lie on one side of the mean with probability 2^(1-n). For n < 6, this
  /// probability exceeds 5 %.
  double lower = 0.0;
  double upper = 0.0;
  std::size_t wins = 0;  // pairs in which the method was strictly better
  std::size_t losses = 0;

  /// Whether there are enough pairs and the interval excludes zero.
  [[nodiscard]] bool decided() const {
    return pairs >= kFewestPairs && (lower > 0.0 || upper < 0.0);
  }
};

/// compare_paired compares method[i] with reference[i]. Both come from the same seed and are
/// finite. The resampling depends only on the number of pairs, so reports are reproducible to the
/// byte. Throws Error (invalid_value) if the lengths differ.
[[nodiscard]] PairedComparison compare_paired(std::span<const double> method,
                                              std::span<const double> reference);

/// compare_stratified compares two methods over tasks from their differences per seed. The mean is
/// the mean over tasks of the mean differences, so every task has the same weight. The interval
/// resamples seeds within tasks. The bounds are NaN if a task has only one seed. For one task, the
/// result equals the result of compare_paired.
[[nodiscard]] PairedComparison compare_stratified(
    const std::vector<std::vector<double>>& differences);

/// normalised_regret returns the simple regret divided by `initial_regret`, the regret of the
/// initial design: 1 means no progress. NaN unless initial_regret > 0.
[[nodiscard]] double normalised_regret(double regret, double initial_regret);

/// normalised_cumulative_regret returns the mean regret per step, regret / steps, divided by
/// `initial_regret`. NaN unless initial_regret > 0 and steps > 0.
[[nodiscard]] double normalised_cumulative_regret(double regret, int steps, double initial_regret);

}  // namespace oscbo::report
