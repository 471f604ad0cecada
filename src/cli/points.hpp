// Points of a task as a table: a column per parameter, a row per point in native units.
#pragma once

#include "oscbo/problem.hpp"
#include "oscbo/table.hpp"

namespace oscbo::cli {

/// require_points throws Error (invalid_value) that names file, line and column unless every row of
/// `table` is a point of `problem`.
void require_points(const NumericTable& table, const Problem& problem);

}  // namespace oscbo::cli
