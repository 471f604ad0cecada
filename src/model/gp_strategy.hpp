// A strategy whose models are Gaussian processes. A learner decides how they are conditioned. It
// has these functions:
//
//   GpRound next(const Observations&, int round)          the model of this round
//   GpRound all(const Observations&, int round)           a model of all observations
//   void observe_suggestion(double log_improvement)       the argument of keep_fit
//   void observe_initial / observe_unasked / observe_prediction, as for ModelStrategy
//   GameState game() const
//   bool finds_noise() const
//   int evaluations() const                               the number of factorizations so far
//
// A learner is a value type and cheap to copy compared with the posteriors. Before a fit, the
// strategy copies its learner, so that it can undo the fit.
#pragma once

#include <utility>

#include "model/surrogates.hpp"
#include "oscbo/config.hpp"

namespace oscbo::model {

template <class Learner>
class GpStrategy final : public ModelStrategy {
 public:
  GpStrategy(const Config& config, const gp::Layout& layout, std::uint64_t seed)
      : learner_(config, layout, seed), surrogates_(config, layout) {}

  [[nodiscard]] std::unique_ptr<ModelStrategy> clone() const override {
    return std::make_unique<GpStrategy>(*this);
  }

  void fit(const Observations& observations, int round) override {
    if (before_fit_) {
      learner_ = *before_fit_;  // the last fit was not kept
    } else {
      before_fit_ = learner_;
    }
    const int before = learner_.evaluations();
    const GpRound next = learner_.next(observations, round);
    round_ = surrogates_.condition(observations, next);
    round_.evaluations = learner_.evaluations() - before;
  }

  void fit_all(const Observations& observations, int round) override {
    Learner learner = learner_;
    all_ = surrogates_.condition(observations, learner.all(observations, round));
  }

  [[nodiscard]] const ModelDescription& model(Scope scope) const override {
    return scope == Scope::round ? round_ : all_;
  }
  [[nodiscard]] prediction::Predictor& predictor(Scope scope) override {
    return surrogates_.of(model(scope));
  }

  void keep_fit(std::optional<double> log_improvement) override {
    if (log_improvement) learner_.observe_suggestion(*log_improvement);
    before_fit_.reset();
  }
  void undo_fit() override {
    if (before_fit_) learner_ = *std::exchange(before_fit_, std::nullopt);
  }

  void observe_initial(Index point, double beta) override { learner_.observe_initial(point, beta); }
  void observe_unasked(Index point, double beta) override { learner_.observe_unasked(point, beta); }
  void observe_prediction(const PredictionFeedback& feedback) override {
    learner_.observe_prediction(feedback);
  }

  [[nodiscard]] GameState game() const override { return learner_.game(); }
  [[nodiscard]] bool finds_noise() const override {
    return (before_fit_ ? *before_fit_ : learner_).finds_noise();
  }
  [[nodiscard]] Index doubles_held() const override { return surrogates_.doubles_held(); }

 private:
  Learner learner_;
  std::optional<Learner> before_fit_;  // until the fit is kept
  Surrogates surrogates_;
  ModelDescription round_;
  ModelDescription all_;
};

}  // namespace oscbo::model
