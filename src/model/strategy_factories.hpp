// The factories of the strategies in registry.cpp. Each factory is defined in the file named after
// its strategy.
#pragma once

#include "model/model_strategy.hpp"
#include "oscbo/config.hpp"

namespace oscbo::model {

/// `layout` is the layout of the inputs that the model will get.
using StrategyFactory = std::unique_ptr<ModelStrategy>(const Config& config,
                                                       const gp::Layout& layout,
                                                       std::uint64_t seed);

StrategyFactory make_auto_strategy;
StrategyFactory make_pfn_strategy;
StrategyFactory make_tabicl_strategy;
StrategyFactory make_rule_strategy;  // for the lengthscale rule that the configuration names

}  // namespace oscbo::model
