#include "model/registry.hpp"

#include <algorithm>
#include <utility>

#include "oscbo/error.hpp"

namespace oscbo::model {
namespace {

/// compose_auto sets what auto uses: everything is learned, intervals have a level of 90 %, and the
/// search is thorough enough for expensive evaluations.
void compose_auto(Config& config) {
  config.beta = 2.705543454095404;  // 1.645^2: miss rate delta = 0.1
  config.kernel.ard = true;
  config.kernel.additive = true;
  config.learner.theta_max = 1e3;
  config.refit.growth = 0.1;
  config.prior.noise = NoiseModel::learned;
  config.dual.start = MultiplierStart::one;
  config.dual.rate = 0.5;
  config.acquisition.kind = AcquisitionKind::logei;
  config.acquisition.best = BestValue::fitted;
  config.acquisition.solver = SearchSolver::bfgs;
  config.acquisition.raw_samples = 400;
  config.acquisition.local_samples = 200;
  config.acquisition.restarts = 8;
  config.acquisition.max_iterations = 40;
}

std::vector<ModelInfo> strategies() {
  return {
      {.name = "auto",
       .method = "auto",
       .meaning = "the one to use: learns lengthscales, noise and scale, and calibrates itself",
       .make = make_auto_strategy,
       .traits = {.learns_everything = true, .memory = 3.5},
       .compose = compose_auto},
  };
}

/// strategy_of returns a lengthscale rule as a strategy.
ModelInfo strategy_of(const learners::RuleInfo& rule) {
  return {.name = rule.name,
          .method = rule.method,
          .meaning = rule.meaning,
          .make = make_rule_strategy,
          .traits = rule.traits,
          .compose = rule.compose};
}

std::vector<ModelInfo>& registry() {
  static std::vector<ModelInfo> list = [] {
    std::vector<ModelInfo> all = strategies();
    for (const learners::RuleInfo& rule : learners::rules()) all.push_back(strategy_of(rule));
    return all;
  }();
  return list;
}

}  // namespace

const std::vector<ModelInfo>& models() { return registry(); }

void register_model(ModelInfo model) { registry().push_back(std::move(model)); }

const ModelInfo& model_of(const Config& config) {
  const auto found = std::find_if(models().begin(), models().end(), [&](const ModelInfo& model) {
    return model.name == config.learner.rule;
  });
  if (found == models().end()) {
    throw Error(ErrorCode::unknown_name, "learner", '\'' + config.learner.rule + "' is not a rule");
  }
  return *found;
}

StrategyHandle make_strategy(const Config& config, const gp::Layout& layout, std::uint64_t seed) {
  return StrategyHandle(model_of(config).make(config, layout, seed));
}

}  // namespace oscbo::model
