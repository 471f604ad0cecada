// The picture of a comparison by ranks.
#pragma once

#include <span>
#include <string>

#include "report/comparison.hpp"
#include "report/figure.hpp"

namespace oscbo::report {

/// rank_panel draws the methods from the best to the worst mean rank: a small dot for every task,
/// equal ranks side by side, and a large one with its standard error for the mean. `ranks` has an
/// entry for each of `methods`; throws Error (invalid_value) otherwise.
[[nodiscard]] Panel rank_panel(const std::string& title, std::span<const std::string> methods,
                               std::span<const RankSummary> ranks);

}  // namespace oscbo::report
