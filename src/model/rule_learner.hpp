// Turns a lengthscale rule of the paper into a learner of GpStrategy. The refit schedule decides
// when the rule is asked for new settings. Until then its last settings apply, and observations are
// added to the model.
#pragma once

#include "learners/refit_schedule.hpp"
#include "learners/registry.hpp"
#include "model/surrogates.hpp"
#include "oscbo/config.hpp"

namespace oscbo::model {

class RuleLearner {
 public:
  RuleLearner(const Config& config, const gp::Layout& layout, std::uint64_t seed);

  [[nodiscard]] GpRound next(const Observations& observations, int round);
  [[nodiscard]] GpRound all(const Observations& observations, int round);

  void observe_suggestion(double /*log_improvement*/) {}
  void observe_initial(Index point, double beta) { rule_->observe_initial(point, beta); }
  void observe_unasked(Index point, double beta) { rule_->observe_unasked(point, beta); }
  void observe_prediction(const PredictionFeedback& feedback);

  [[nodiscard]] GameState game() const {
    return {.multiplier = rule_->multiplier(),
            .violation = rule_->violation(),
            .phase = rule_->phase()};
  }
  [[nodiscard]] static bool finds_noise() { return false; }
  [[nodiscard]] int evaluations() const { return rule_->evaluations(); }

 private:
  void add_points(Index n);

  learners::RuleHandle rule_;
  learners::RefitSchedule schedule_;
  learners::ModelSettings settings_;
  Index base_ = 0;   // points of the model when the rule last decided
  Index known_ = 0;  // observations at the last call of next; add_points adds later ones
};

}  // namespace oscbo::model
