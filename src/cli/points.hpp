// Points of a task as a table: a column per parameter, a row per point, each cell as `Space::text`
// shows it and empty where the parameter is not active.
#pragma once

#include <vector>

#include "oscbo/problem.hpp"
#include "oscbo/table.hpp"

namespace oscbo::cli {

/// points_of returns the rows of `table` as points of `problem`. Columns are matched by the names
/// of the parameters where the header has them, otherwise by position. Throws Error (invalid_value)
/// that names file, line and column unless every row is a point of the task.
[[nodiscard]] std::vector<std::vector<double>> points_of(const TextTable& table,
                                                         const Problem& problem);

}  // namespace oscbo::cli
