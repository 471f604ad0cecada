// What the paper says about its results, held against ours. Every claim has a rule that was fixed
// before the numbers were known; where the statistics cannot tell, the verdict is "unclear".
#pragma once

#include <string>
#include <vector>

#include "experiment/paired_runs.hpp"
#include "experiment/paper_results.hpp"
#include "experiment/report.hpp"
#include "oscbo/paper.hpp"

namespace oscbo::experiment {

/// check_claims holds every claim against `results`.
[[nodiscard]] std::vector<PaperClaim> check_claims(const PaperResults& results);

/// claims_table has a row per claim.
[[nodiscard]] ReportTable claims_table(const std::vector<PaperClaim>& claims);

/// compare_pooled compares the regrets of two methods over all pairs of a task and a seed, in units
/// of the mean regret after the initial design of the task. NaN without any pair.
[[nodiscard]] PairedComparison compare_pooled(const RunGroups& groups, const std::string& method,
                                              const std::string& reference,
                                              const RunMeasure& measure);

}  // namespace oscbo::experiment
