// A rule that is asked only when the schedule says so. In between, its last settings remain in
// force.
#include "learners/scheduled_rule.hpp"

#include <utility>

#include "learners/refit_schedule.hpp"

namespace oscbo::learners {
namespace {

class ScheduledRule final : public LengthscaleRule {
 public:
  ScheduledRule(RuleHandle rule, const Config& config)
      : rule_(std::move(rule)), schedule_(config) {}

  [[nodiscard]] std::unique_ptr<LengthscaleRule> clone() const override {
    return std::make_unique<ScheduledRule>(*this);
  }

  const ModelSettings& next_settings(const Observations& observations, int round) override {
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
    return settings_;
  }

  const ModelSettings& whole_settings(const Observations& observations, int round) override {
    return rule_->whole_settings(observations, round);
  }

  void observe_suggestion(double log_improvement) override {
    rule_->observe_suggestion(log_improvement);
  }
  void observe_initial(Index point, double beta) override { rule_->observe_initial(point, beta); }
  void observe_unasked(Index point, double beta) override { rule_->observe_unasked(point, beta); }
  void observe_prediction(const PredictionFeedback& feedback) override {
    schedule_.observe(feedback.calibration_loss > 0.0);
    rule_->observe_prediction(feedback);
  }

  [[nodiscard]] std::optional<double> multiplier() const override { return rule_->multiplier(); }
  [[nodiscard]] std::optional<double> violation() const override { return rule_->violation(); }
  [[nodiscard]] std::optional<Phase> phase() const override { return rule_->phase(); }
  [[nodiscard]] int evaluations() const override { return rule_->evaluations(); }

 private:
  /// A model of a subset of the points gets all later points too.
  void add_points(Index n) {
    if (settings_.points.empty()) return;
    for (Index i = known_; i < n; ++i) settings_.points.push_back(i);
  }

  RuleHandle rule_;
  RefitSchedule schedule_;
  ModelSettings settings_;
  Index base_ = 0;   // number of points of the model at the last refit
  Index known_ = 0;  // number of observations that the settings cover
};

}  // namespace

RuleHandle scheduled(RuleHandle rule, const Config& config) {
  return RuleHandle(std::make_unique<ScheduledRule>(std::move(rule), config));
}

}  // namespace oscbo::learners
