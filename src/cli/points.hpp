// Points of a task in a CSV file: a header row, then one point per line in native units.
#pragma once

#include <functional>
#include <istream>
#include <span>
#include <string>

#include "oscbo/problem.hpp"

namespace oscbo::cli {

/// read_points hands every point of `stream` to `on_point`. Blank lines are skipped, lines may end
/// in CR LF. Throws Error (invalid_value) that names `name`, line and column for anything that is
/// not a point of `problem`.
void read_points(std::istream& stream, const std::string& name, const Problem& problem,
                 const std::function<void(std::span<const double>)>& on_point);

}  // namespace oscbo::cli
