// The problems that are made from tables of measurements: three of the paper, and the user's own.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "oscbo/problem.hpp"

namespace oscbo::tables {

/// table_problems lists them.
[[nodiscard]] std::vector<ProblemInfo> table_problems();

/// make_table_problem returns the problem called `name`, or nothing when no table stands behind
/// that name. `data` is the folder of the tables that have a name of their own. Throws Error as
/// make_problem does.
[[nodiscard]] std::optional<Problem> make_table_problem(std::string_view name,
                                                        const std::filesystem::path& data);

}  // namespace oscbo::tables
