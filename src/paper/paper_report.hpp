// The report of the paper's experiments.
#pragma once

#include <cstddef>
#include <vector>

#include "oscbo/paper.hpp"
#include "paper/paper_results.hpp"
#include "report/report.hpp"

namespace oscbo::paper {

struct RunCount {
  std::size_t finished = 0;
  std::size_t planned = 0;
};

/// count_runs counts the runs of all grids.
[[nodiscard]] RunCount count_runs(const PaperResults& results,
                                  const std::vector<PaperStage>& stages);

/// paper_report arranges the runs, the figures of the paper and `claims` as a report. `stages`
/// lists the planned runs.
[[nodiscard]] report::Report paper_report(const PaperResults& results,
                                          const std::vector<PaperStage>& stages,
                                          const std::vector<PaperClaim>& claims,
                                          const report::Figure& illustration);

}  // namespace oscbo::paper
