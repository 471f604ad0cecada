// What the paper says about its results, held against ours. Every claim has a rule; where the
// statistics cannot tell, or there are too few runs, the verdict is "unclear".
#pragma once

#include <string>
#include <vector>

#include "oscbo/paper.hpp"
#include "paper/paper_results.hpp"
#include "report/comparison.hpp"
#include "report/report.hpp"

namespace oscbo::paper {

/// check_claims holds every claim against `results`.
[[nodiscard]] std::vector<PaperClaim> check_claims(const PaperResults& results);

/// claims_table has a row per claim.
[[nodiscard]] report::ReportTable claims_table(const std::vector<PaperClaim>& claims);

/// What is measured of a run, curves included.
using OutcomeMeasure = double (*)(const report::RunOutcome&);

/// compare_over_tasks compares the regrets of two methods, seed by seed on every task that both
/// have, in units of the mean regret after the initial design of the task; each task counts alike.
/// No pairs and NaN when there is no such task.
[[nodiscard]] report::PairedComparison compare_over_tasks(const report::RunGroups& groups,
                                                          const std::string& method,
                                                          const std::string& reference,
                                                          OutcomeMeasure measure);

}  // namespace oscbo::paper
