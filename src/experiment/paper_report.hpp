// The report of the paper's experiments.
#pragma once

#include <vector>

#include "experiment/paper_results.hpp"
#include "experiment/report.hpp"
#include "oscbo/paper.hpp"

namespace oscbo::experiment {

/// paper_report arranges what was run, the figures of the paper and `claims` as a report. `stages`
/// says what was to be run.
[[nodiscard]] Report paper_report(const PaperResults& results,
                                  const std::vector<PaperStage>& stages,
                                  const std::vector<PaperClaim>& claims,
                                  const Figure& illustration);

}  // namespace oscbo::experiment
