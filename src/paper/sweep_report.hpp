// The effect of two choices that the paper leaves open: the first multiplier and the start of each
// fit. Also shows with which choices oscbo performs like gp-ucb-mll.
#pragma once

#include "paper/paper_results.hpp"
#include "report/figure.hpp"
#include "report/report.hpp"

namespace oscbo::paper {

/// sweep_figure has two panels for every task, one of final simple regrets and one of cumulative
/// regrets. They show a dot with its standard error for every combination, and lines for
/// gp-ucb-mll.
[[nodiscard]] report::Figure sweep_figure(const report::RunGroups& sweep);

/// sweep_table has one row per variant: mean ranks and normalised regrets over tasks, and the
/// distance of its mean curves from those of gp-ucb-mll with the same start.
[[nodiscard]] report::ReportTable sweep_table(const report::RunGroups& sweep);

}  // namespace oscbo::paper
