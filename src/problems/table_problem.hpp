// The problems made from tables of measurements: three tables of the paper, and the user's own.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "oscbo/problem.hpp"

namespace oscbo::tables {

/// table_problems lists these problems.
[[nodiscard]] std::vector<ProblemInfo> table_problems();

/// make_table_problem returns the problem called `name`, or nothing if the name does not denote a
/// table. `data` is the folder with the three tables of the paper. Throws Error as make_problem
/// does.
[[nodiscard]] std::optional<Problem> make_table_problem(std::string_view name,
                                                        const std::filesystem::path& data);

}  // namespace oscbo::tables
