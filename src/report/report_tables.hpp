// The tables of a result directory: means, ranks, and what can be told apart.
#pragma once

#include <string>
#include <vector>

#include "report/learning_curves.hpp"
#include "report/report.hpp"
#include "report/report_figures.hpp"

namespace oscbo::report {

/// with_error returns "0.124 ± 0.020": two digits of the error, and the mean to the same place; the
/// mean with four digits when the error is zero, infinite or not there, and nothing when there is
/// no mean.
[[nodiscard]] std::string with_error(double mean, double error);

/// means_table has a row per (task, method): final regrets with errors, ranks, coverage, width,
/// last lengthscale.
[[nodiscard]] ReportTable means_table(const RunGroups& groups);

/// A method in the order of mean ranks.
struct RankedMethod {
  std::string method;
  RankSummary ranks = {};
  std::string letters = {};        // methods that share one are not told apart; empty if unknown
  double normalised_regret = 0.0;  // mean over tasks; NaN when it is defined for none
  double normalised_error = 0.0;   // its standard error over tasks
};

/// rank_methods returns the methods of `scores`, best mean rank first.
[[nodiscard]] std::vector<RankedMethod> rank_methods(const FinalScores& scores,
                                                     const RunGroups& groups, Quantity regret);

/// rank_table has a row per method, best first: mean rank with its error over tasks, what it is not
/// told apart from, mean normalised regret, and the rank on every task. The note says what the
/// critical difference is.
[[nodiscard]] ReportTable rank_table(const FinalScores& scores, const RunGroups& groups,
                                     Quantity regret);

/// paired_table compares every method with `reference` on every task, seed by seed, and then over
/// all tasks.
[[nodiscard]] ReportTable paired_table(const RunGroups& groups, Quantity regret,
                                       const std::string& reference);

/// calibration_table has a row per (task, method) with a model: coverage at five levels and scores.
[[nodiscard]] ReportTable calibration_table(const RunGroups& groups);

/// time_table has a row per (task, method): seconds per run and per suggestion.
[[nodiscard]] ReportTable time_table(const RunGroups& groups);

}  // namespace oscbo::report
