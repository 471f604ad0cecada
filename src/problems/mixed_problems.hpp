// The problems whose space is more than a box. They have levels, integers, categories, conditional
// parameters, mixtures, outcomes with limits, or evaluations that fail. docs/spaces.md describes
// each.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "oscbo/problem.hpp"

namespace oscbo::mixed {

/// mixed_problems lists these problems.
[[nodiscard]] std::vector<ProblemInfo> mixed_problems();

/// make_mixed_problem returns the problem called `name`, or nothing if there is no such problem
/// here. Its functions throw Error (invalid_value) for a point that is not in its space.
[[nodiscard]] std::optional<Problem> make_mixed_problem(std::string_view name);

}  // namespace oscbo::mixed
