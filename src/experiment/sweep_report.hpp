// The two choices the paper leaves open, the first multiplier and the start of each fit: what they
// change, and where oscbo follows gp-ucb-mll.
#pragma once

#include "experiment/figure.hpp"
#include "experiment/paper_results.hpp"
#include "experiment/report.hpp"

namespace oscbo::experiment {

/// sweep_figure has for every task a panel of final simple and one of cumulative regrets: a dot
/// with its standard error for every combination, and gp-ucb-mll as lines.
[[nodiscard]] Figure sweep_figure(const RunGroups& sweep);

/// sweep_table has a row per variant: mean ranks and normalised regrets over tasks, and how far its
/// mean curves are from those of gp-ucb-mll with the same start.
[[nodiscard]] ReportTable sweep_table(const RunGroups& sweep);

}  // namespace oscbo::experiment
