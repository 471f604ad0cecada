// Finds the columns of a table that hold numbers. Reports align such columns to the right and sort
// them by value.
#pragma once

#include <vector>

#include "report/report.hpp"

namespace oscbo::report {

/// numeric_columns says for every column whether its cells start with a number ("0.12 ± 0.03"). A
/// cell without a letter or digit, such as "" or "–", stands for a missing number. A column
/// without any number is not numeric.
[[nodiscard]] std::vector<bool> numeric_columns(const ReportTable& table);

}  // namespace oscbo::report
