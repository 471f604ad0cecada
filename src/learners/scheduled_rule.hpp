#pragma once

#include "learners/lengthscale_rule.hpp"

namespace oscbo::learners {

/// scheduled returns a wrapper that asks the rule for settings only when RefitSchedule says so. The
/// rule still gets all observations.
[[nodiscard]] RuleHandle scheduled(RuleHandle rule, const Config& config);

}  // namespace oscbo::learners
