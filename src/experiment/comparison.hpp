// What "better" means: ranks over tasks and how far they can be told apart, and paired differences
// between two methods that were given the same seeds.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace oscbo::experiment {

/// Values of several methods on several tasks, lower is better: values[task][method].
using ScoreTable = std::vector<std::vector<double>>;

/// The ranks of one method over tasks.
struct RankSummary {
  std::vector<double> ranks = {};  // per task, 1 = best; ties share the mean rank
  double mean = 0.0;
  double error = 0.0;  // standard error over tasks; NaN for one task
};

/// summarise_ranks ranks the methods within every task. One entry per method.
[[nodiscard]] std::vector<RankSummary> summarise_ranks(const ScoreTable& scores);

/// Friedman's test of "all methods are alike", and Nemenyi's critical difference at 5 %: mean ranks
/// closer than that are not told apart by this many tasks.
struct CriticalDifference {
  double statistic = 0.0;  // Friedman's chi-square, with ties corrected for
  double p_value = 1.0;
  double difference = 0.0;
  /// Largest sets of methods, by index, whose mean ranks lie within `difference`; best first.
  std::vector<std::vector<std::size_t>> groups = {};
};

/// critical_difference needs at least two methods and two tasks.
[[nodiscard]] CriticalDifference critical_difference(const ScoreTable& scores);

/// Differences method - reference over common seeds; negative means that the method is better.
struct PairedComparison {
  std::size_t pairs = 0;
  double mean = 0.0;
  double lower = 0.0;  // 95 % bootstrap interval of the mean difference; NaN for fewer than 2 pairs
  double upper = 0.0;
  std::size_t wins = 0;  // pairs in which the method was strictly better
  std::size_t losses = 0;

  /// Whether the interval excludes no difference.
  [[nodiscard]] bool decided() const { return lower > 0.0 || upper < 0.0; }
};

/// compare_paired compares method[i] with reference[i], which come from the same seed. The
/// resampling is a function of the number of pairs alone, so that a report repeats to the byte.
[[nodiscard]] PairedComparison compare_paired(std::span<const double> method,
                                              std::span<const double> reference);

}  // namespace oscbo::experiment
