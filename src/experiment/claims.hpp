// What the paper says about its results, held against ours. Every claim has a rule; where the
// statistics cannot tell, or there are too few runs, the verdict is "unclear".
#pragma once

#include <string>
#include <vector>

#include "experiment/comparison.hpp"
#include "experiment/paper_results.hpp"
#include "experiment/report.hpp"
#include "oscbo/paper.hpp"

namespace oscbo::experiment {

/// check_claims holds every claim against `results`.
[[nodiscard]] std::vector<PaperClaim> check_claims(const PaperResults& results);

/// claims_table has a row per claim.
[[nodiscard]] ReportTable claims_table(const std::vector<PaperClaim>& claims);

/// What is measured of a run, curves included.
using OutcomeMeasure = double (*)(const RunOutcome&);

/// compare_over_tasks compares the regrets of two methods, seed by seed on every task that both
/// have, in units of the mean regret after the initial design of the task; each task counts alike.
/// No pairs and NaN when there is no such task.
[[nodiscard]] PairedComparison compare_over_tasks(const RunGroups& groups,
                                                  const std::string& method,
                                                  const std::string& reference,
                                                  OutcomeMeasure measure);

}  // namespace oscbo::experiment
