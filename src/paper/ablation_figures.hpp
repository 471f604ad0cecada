// The figures of the ablations: ranks under every regime (PaperRegime), and the curves behind them.
#pragma once

#include "paper/paper_results.hpp"
#include "report/figure.hpp"

namespace oscbo::paper {

/// ablation_ranks_figure has one panel of ranks per regime and two panels that compare the
/// exponents p = 2 (oscbo) and p = 1 (oscbo-l1). One of the two panels shows the simple regret
/// during the run, the other the cumulative regret divided by the number of rounds so far. Both
/// regrets are means over tasks, in units of the regret after the initial design.
[[nodiscard]] report::Figure ablation_ranks_figure(const PaperResults& results);

/// ablation_curves_figure has a row per regime and a column per task with the simple regret, and a
/// last row with the cumulative regret of oscbo and oscbo-l1.
[[nodiscard]] report::Figure ablation_curves_figure(const PaperResults& results);

}  // namespace oscbo::paper
