// The picture of a comparison by ranks.
#pragma once

#include <span>
#include <string>

#include "report/comparison.hpp"
#include "report/figure.hpp"

namespace oscbo::report {

/// rank_panel draws the methods from the best to the worst mean rank. A method has a small dot for
/// its rank on every task, with equal ranks side by side, and a large dot for its mean rank, with a
/// bar for the standard error of the mean. Throws Error (invalid_value) unless `ranks` has one
/// entry per method.
[[nodiscard]] Panel rank_panel(const std::string& title, std::span<const std::string> methods,
                               std::span<const RankSummary> ranks);

}  // namespace oscbo::report
