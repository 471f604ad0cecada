#include "model/rule_learner.hpp"

#include "model/gp_strategy.hpp"
#include "model/strategy_factories.hpp"

namespace oscbo::model {

RuleLearner::RuleLearner(const Config& config, const gp::Layout& layout, std::uint64_t seed)
    : rule_(learners::make_rule(config, layout, seed)), schedule_(config) {}

GpRound RuleLearner::next(const Observations& observations, int round) {
  const Index n = observations.inputs.size();
  if (schedule_.is_due(n)) {
    settings_ = rule_->next_settings(observations, round);
    base_ = settings_.points.empty() ? n : static_cast<Index>(settings_.points.size());
    schedule_.refitted(n);
  } else {
    settings_.base = base_;
    add_points(n);
  }
  known_ = n;
  return {.settings = settings_};
}

/// add_points adds all later points to a model of some of the points.
void RuleLearner::add_points(Index n) {
  if (settings_.points.empty()) return;
  for (Index i = known_; i < n; ++i) settings_.points.push_back(i);
}

GpRound RuleLearner::all(const Observations& observations, int round) {
  GpRound whole{.settings = rule_->next_settings(observations, round)};
  whole.settings.points.clear();
  return whole;
}

void RuleLearner::observe_prediction(const PredictionFeedback& feedback) {
  schedule_.observe(feedback.calibration_loss > 0.0);
  rule_->observe_prediction(feedback);
}

std::unique_ptr<ModelStrategy> make_rule_strategy(const Config& config, const gp::Layout& layout,
                                                  std::uint64_t seed) {
  return std::make_unique<GpStrategy<RuleLearner>>(config, layout, seed);
}

}  // namespace oscbo::model
