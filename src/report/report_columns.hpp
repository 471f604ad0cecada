// Finds the columns of a table that hold numbers. They are aligned to the right and sorted by
// value.
#pragma once

#include <vector>

#include "report/report.hpp"

namespace oscbo::report {

/// numeric_columns says for every column whether its cells start with a number ("0.12 ± 0.03"). A
/// cell without a letter or digit, such as "" or "–", stands for a missing number. At least one
/// cell must have a number.
[[nodiscard]] std::vector<bool> numeric_columns(const ReportTable& table);

}  // namespace oscbo::report
