// Points of a task as a table: a column per parameter and a row per point. A cell has the format of
// `Space::text`, and is empty if the parameter is inactive.
#pragma once

#include <vector>

#include "oscbo/problem.hpp"
#include "oscbo/table.hpp"

namespace oscbo::cli {

/// points_of returns the rows of `table` as points of `problem`. Columns are matched by the names
/// of the parameters if the header has them, otherwise by position. Throws Error (invalid_value)
/// with file, line and column unless every row is a point of the task.
[[nodiscard]] std::vector<std::vector<double>> points_of(const TextTable& table,
                                                         const Problem& problem);

}  // namespace oscbo::cli
