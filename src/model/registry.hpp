// The model strategies by name: those of registry.cpp, and one for each lengthscale rule. A new
// strategy is one file and one line there; docs/architecture.md walks through an example.
#pragma once

#include <string_view>
#include <vector>

#include "learners/registry.hpp"
#include "model/strategy_factories.hpp"

namespace oscbo::model {

using ModelInfo = learners::RegistryEntry<StrategyFactory>;

/// models lists the known strategies in the order in which they are shown. Rules that are
/// registered after the first call are not among them.
[[nodiscard]] const std::vector<ModelInfo>& models();

/// register_model adds a strategy at run time. Call it before the first optimizer is made: the list
/// is not guarded against other threads.
void register_model(ModelInfo model);

/// model_of returns the strategy that `config` names. Throws Error (unknown_name) if there is no
/// such strategy.
[[nodiscard]] const ModelInfo& model_of(const Config& config);

/// make_strategy builds the strategy that `config` composes, for inputs with that layout.
[[nodiscard]] StrategyHandle make_strategy(const Config& config, const gp::Layout& layout,
                                           std::uint64_t seed);

}  // namespace oscbo::model
