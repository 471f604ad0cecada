// The rules of registry.cpp, each defined in the file of its name.
#pragma once

#include "learners/lengthscale_rule.hpp"

namespace oscbo::learners {

/// The layout is that of the inputs that the rule will see.
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
