// The model strategies by name: those in registry.cpp, and one for each lengthscale rule. A new
// strategy needs one file and one line in registry.cpp. docs/architecture.md walks through an
// example.
#pragma once

#include <string_view>
#include <vector>

#include "learners/registry.hpp"
#include "model/strategy_factories.hpp"
#include "oscbo/config.hpp"

namespace oscbo::model {

using ModelInfo = learners::RegistryEntry<StrategyFactory>;

/// models returns the known strategies in the order in which they are listed to users. Rules that
/// are registered after the first call are missing.
[[nodiscard]] const std::vector<ModelInfo>& models();

/// register_model adds a strategy at run time. Call it before the first optimizer is made, because
/// the list is not thread-safe.
void register_model(ModelInfo model);

/// model_of returns the strategy that `config` names. Throws Error (unknown_name) if there is no
/// such strategy.
[[nodiscard]] const ModelInfo& model_of(const Config& config);

/// make_strategy builds the strategy that `config` names, for inputs with this layout.
[[nodiscard]] StrategyHandle make_strategy(const Config& config, const gp::Layout& layout,
                                           std::uint64_t seed);

}  // namespace oscbo::model
