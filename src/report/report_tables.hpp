// The tables of a result directory: means, ranks and significant differences.
#pragma once

#include <string>
#include <vector>

#include "report/learning_curves.hpp"
#include "report/report.hpp"
#include "report/report_figures.hpp"

namespace oscbo::report {

/// with_error returns "0.124 ± 0.020": the error with two digits, and the mean to the same decimal
/// place. If the error is zero or infinite, both have up to four digits. If the error is missing,
/// only the mean is shown, with four digits. Without a mean, the text is empty.
[[nodiscard]] std::string with_error(double mean, double error);

/// means_table has a row per (task, method): final regrets with errors, ranks, coverage, width,
/// last lengthscale.
[[nodiscard]] ReportTable means_table(const RunGroups& groups);

/// An entry of rank_methods.
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

/// rank_table has one row per method, best first: mean rank with its error over tasks, the methods
/// that do not differ significantly, mean normalised regret, and the rank on every task. The note
/// explains the critical difference.
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
