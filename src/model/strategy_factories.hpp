// The strategies of registry.cpp, each defined in the file of its name.
#pragma once

#include "model/model_strategy.hpp"

namespace oscbo::model {

/// The layout is that of the inputs that the model will see.
using StrategyFactory = std::unique_ptr<ModelStrategy>(const Config& config,
                                                       const gp::Layout& layout,
                                                       std::uint64_t seed);

StrategyFactory make_auto_strategy;
StrategyFactory make_rule_strategy;  // of the lengthscale rule that the configuration names

}  // namespace oscbo::model
