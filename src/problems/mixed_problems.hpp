// The problems whose space is more than a box: parameters on levels, integers, categories and those
// that depend on them, mixtures, outcomes with limits, evaluations that fail. docs/spaces.md
// describes each.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "oscbo/problem.hpp"

namespace oscbo::mixed {

/// mixed_problems lists them.
[[nodiscard]] std::vector<ProblemInfo> mixed_problems();

/// make_mixed_problem returns the problem called `name`, or nothing when it is none of these. Its
/// functions throw Error (invalid_value) for what is not a point of its space.
[[nodiscard]] std::optional<Problem> make_mixed_problem(std::string_view name);

}  // namespace oscbo::mixed
