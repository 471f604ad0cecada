#pragma once

#include "learners/lengthscale_rule.hpp"

namespace oscbo::learners {

/// scheduled returns the rule as one that is asked only when RefitSchedule says so. What it
/// observes it observes as before.
[[nodiscard]] RuleHandle scheduled(RuleHandle rule, const Config& config);

}  // namespace oscbo::learners
