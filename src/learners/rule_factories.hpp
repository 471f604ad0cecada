// The factories of the rules in registry.cpp. Each factory is defined in the file named after its
// rule.
#pragma once

#include "learners/lengthscale_rule.hpp"
#include "oscbo/config.hpp"

namespace oscbo::learners {

/// `layout` is the layout of the inputs that the rule will get.
using RuleFactory = std::unique_ptr<LengthscaleRule>(const Config& config, const gp::Layout& layout,
                                                     std::uint64_t seed);

RuleFactory make_game_rule;
RuleFactory make_likelihood_rule;
RuleFactory make_fixed_rule;
RuleFactory make_prior_rule;
RuleFactory make_schedule_rule;
RuleFactory make_balancing_rule;
RuleFactory make_sharp_calibrated_rule;
RuleFactory make_recalibrated_rule;

}  // namespace oscbo::learners
