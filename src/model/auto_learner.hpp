// auto: the game for a model that also learns noise, location and scale. auto_learner.cpp describes
// it.
#pragma once

#include "model/hills.hpp"
#include "model/surrogates.hpp"
#include "model/view_models.hpp"
#include "model/view_schedule.hpp"
#include "online/mirror_descent.hpp"
#include "oscbo/config.hpp"

namespace oscbo::model {

/// A learner of GpStrategy.
class AutoLearner {
 public:
  AutoLearner(const Config& config, const gp::Layout& layout, std::uint64_t seed);

  [[nodiscard]] GpRound next(const Observations& observations, int round);
  [[nodiscard]] GpRound all(const Observations& observations, int round);

  void observe_suggestion(double log_improvement);
  void observe_initial(Index /*point*/, double /*beta*/) {}
  void observe_unasked(Index /*point*/, double /*beta*/) {}
  void observe_prediction(const PredictionFeedback& feedback);

  [[nodiscard]] GameState game() const { return {.multiplier = dual_.next_element()}; }
  [[nodiscard]] bool finds_noise() const { return is_noisy_; }
  [[nodiscard]] int evaluations() const { return models_.evaluations(); }

 private:
  void fit(const Observations& observations, View view, GpRound& round);
  [[nodiscard]] FittedModel fitted_model(const Observations& observations, View view,
                                         GpRound& round);
  void heed_noise(double noise_sd, SearchPlan& plan);
  void look_near_best(const Observations& observations, bool looks_far, GpRound& round);
  void look_beyond_hills(const Observations& observations, GpRound& round);
  void lock_best_hill(const Observations& observations);

  Config config_;
  gp::Layout layout_;
  ViewModels models_;
  online::OnlineMirrorDescent dual_;  // lambda
  ViewSchedule views_;
  Hills hills_;
  bool is_noisy_ = false;
  double locks_below_ = 0.0;  // a hill counts as climbed below this expected improvement
  bool is_climbed_ = false;   // the hill of the best unlocked observation is climbed
  bool is_judged_ = false;    // this fit has made its first suggestion, which decides is_climbed_

  // Properties of the last model.
  View view_ = View::all;
  double relative_scale_ = 1.0;  // its scale in sd of the observations
};

}  // namespace oscbo::model
