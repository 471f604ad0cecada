#include "model/registry.hpp"

#include <algorithm>
#include <utility>

#include "gp/kernel_options.hpp"
#include "in_context/in_context_options.hpp"
#include "learners/learner_options.hpp"
#include "learners/prior_options.hpp"
#include "model/auto_options.hpp"
#include "online/game_options.hpp"
#include "oscbo/error.hpp"

namespace oscbo::model {
namespace {

/// compose_auto sets the options of the model of auto: everything is learned, and intervals have a
/// level of 90 %.
void compose_auto(Config& config) {
  config.beta = 2.705543454095404;  // 1.645^2: miss rate delta = 0.1
  config.edit<gp::KernelOptions>().ard = true;
  config.edit<gp::KernelOptions>().additive = true;
  config.edit<learners::LearnerOptions>().theta_max = 1e3;
  config.edit<learners::RefitOptions>().growth = 0.1;
  config.edit<learners::PriorOptions>().noise = learners::PriorOptions::Noise::learned;
  config.edit<online::DualOptions>().start = online::DualOptions::Start::one;
  config.edit<online::DualOptions>().rate = 0.5;
}

/// Outcomes have no best point to look near to and no hills to leave: every round is global.
void compose_auto_outcome(Config& config) {
  config.edit<AutoOptions>().near_best_every = 0;
  config.edit<AutoOptions>().locks_below = 0.0;
}

/// The intervals of pfn have the level of those of auto, and are calibrated in the same way.
void compose_pfn(Config& config) {
  config.beta = 2.705543454095404;
  config.edit<online::DualOptions>().start = online::DualOptions::Start::one;
  config.edit<online::DualOptions>().rate = 0.5;
}

/// Outcomes have no best point to look near to.
void compose_pfn_outcome(Config& config) {
  config.edit<in_context::PfnOptions>().near_best_every = 0;
}

/// The quantiles of tabicl are those of observations, so no noise is added to them.
void compose_tabicl(Config& config) { config.noise_variance = prediction::kMinimumVariance; }

ModelInfo auto_strategy() {
  return {.name = "auto",
          .method = "auto",
          .meaning = "the one to use: learns lengthscales, noise and scale, and calibrates itself",
          .make = make_auto_strategy,
          .traits = {.learns_everything = true, .calibrates_itself = true, .memory = 3.5},
          .compose = compose_auto,
          .compose_outcome = compose_auto_outcome,
          .options = auto_options};
}

std::vector<ModelInfo> in_context_strategies() {
  return {
      {.name = "pfn",
       .method = "pfn",
       .meaning = "a small trained network in place of a Gaussian process",
       .make = make_pfn_strategy,
       .traits = {.is_gaussian_process = false, .calibrates_itself = true, .memory = 0.0},
       .compose = compose_pfn,
       .compose_outcome = compose_pfn_outcome,
       .options = in_context::pfn_options},
      {.name = "tabicl",
       .method = "tabicl",
       .meaning = "UCB on the network TabICLv2, whose weights are a file of yours",
       .make = make_tabicl_strategy,
       .traits = {.is_gaussian_process = false, .memory = 0.0},
       .compose = compose_tabicl,
       .options = in_context::tabicl_options,
       .memory_per_point = in_context::tabicl_doubles_per_point},
  };
}

/// strategy_of returns a lengthscale rule as a strategy.
ModelInfo strategy_of(const learners::RuleInfo& rule) {
  return {.name = rule.name,
          .method = rule.method,
          .meaning = rule.meaning,
          .make = make_rule_strategy,
          .traits = rule.traits,
          .compose = rule.compose,
          .compose_outcome = rule.compose_outcome,
          .options = rule.options};
}

std::vector<ModelInfo>& registry() {
  static std::vector<ModelInfo> list = [] {
    std::vector<ModelInfo> all = {auto_strategy()};
    for (const learners::RuleInfo& rule : learners::rules()) all.push_back(strategy_of(rule));
    for (ModelInfo& info : in_context_strategies()) all.push_back(std::move(info));
    return all;
  }();
  return list;
}

}  // namespace

const std::vector<ModelInfo>& models() { return registry(); }

void register_model(ModelInfo model) { registry().push_back(std::move(model)); }

const ModelInfo& model_of(const Config& config) {
  const auto found = std::find_if(models().begin(), models().end(), [&](const ModelInfo& model) {
    return model.name == config.learner;
  });
  if (found == models().end()) {
    throw Error(ErrorCode::unknown_name, "learner", '\'' + config.learner + "' is not a model");
  }
  return *found;
}

StrategyHandle make_strategy(const Config& config, const gp::Layout& layout, std::uint64_t seed) {
  return StrategyHandle(model_of(config).make(config, layout, seed));
}

}  // namespace oscbo::model
