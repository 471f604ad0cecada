// Checks the paper's claims against our results. Every claim has a rule. The verdict is "unclear"
// if the statistics are inconclusive or there are too few runs, and "unchecked" if the claim is
// about tabicl and its weights were not named.
#pragma once

#include <string>
#include <vector>

#include "oscbo/paper.hpp"
#include "paper/paper_results.hpp"
#include "report/comparison.hpp"
#include "report/report.hpp"

namespace oscbo::paper {

/// check_claims checks every claim against `results`. Only the methods of the paper count: the
/// ranks leave out pfn.
[[nodiscard]] std::vector<PaperClaim> check_claims(const PaperResults& results);

/// claims_table has one row per claim.
[[nodiscard]] report::ReportTable claims_table(const std::vector<PaperClaim>& claims);

/// A number computed from the outcome of a run.
using OutcomeMeasure = double (*)(const report::RunOutcome&);

/// compare_over_tasks compares the regrets of two methods, seed by seed, on every task that both
/// have. The unit on each task is the mean regret after the initial design. All tasks have the same
/// weight. Without a common task, it returns no pairs and NaN.
[[nodiscard]] report::PairedComparison compare_over_tasks(const report::RunGroups& groups,
                                                          const std::string& method,
                                                          const std::string& reference,
                                                          OutcomeMeasure measure);

}  // namespace oscbo::paper
