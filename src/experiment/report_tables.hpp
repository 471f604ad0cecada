// The tables of a result directory: means, ranks, and what can be told apart.
#pragma once

#include <string>
#include <vector>

#include "experiment/learning_curves.hpp"
#include "experiment/report.hpp"
#include "experiment/report_figures.hpp"

namespace oscbo::experiment {

/// with_error returns "0.124 +- 0.020": two digits of the error, and the mean to the same place.
[[nodiscard]] std::string with_error(double mean, double error);

/// means_table has a row per (task, method): final regrets with errors, ranks, coverage, width,
/// last lengthscale.
[[nodiscard]] ReportTable means_table(const RunGroups& groups);

/// rank_table has a row per method, best first: mean rank with its error over tasks, how often it
/// had each rank, mean normalised regret; and what the critical difference is.
[[nodiscard]] ReportTable rank_table(const FinalScores& scores, const RunGroups& groups,
                                     Quantity regret);

/// paired_table compares every method with `reference` on every task, seed by seed.
[[nodiscard]] ReportTable paired_table(const RunGroups& groups, Quantity regret,
                                       const std::string& reference);

}  // namespace oscbo::experiment
