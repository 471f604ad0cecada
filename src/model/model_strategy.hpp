// A model strategy turns observations into a model: a predictor for the acquisition, a description
// of the model, and a plan of where to search.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "learners/lengthscale_rule.hpp"
#include "model/search_plan.hpp"
#include "numeric/cloned.hpp"
#include "oscbo/error.hpp"
#include "oscbo/prediction.hpp"
#include "prediction/predictor.hpp"

namespace oscbo::model {

using learners::Observations;
using learners::PredictionFeedback;

/// The description of a model. The model's predictor predicts (y - location) / scale, where y are
/// the standardised observations. Means and variances are in these units.
struct ModelDescription {
  std::vector<double> lengthscales = {};  // empty: the model has none
  double noise_variance = 0.0;            // for observations without known noise
  gp::Affine affine = {};                 // location and scale
  double inflation = 1.0;  // users see the variance times this; the search does not use it
  std::optional<double> multiplier = std::nullopt;  // of the sd in the confidence bound; none:
                                                    // sqrt(beta)
  bool bound_includes_noise = false;                // the bound is for an observation
  std::vector<Index> points = {};                   // the observations in the model; empty: all
  Vector fitted_means = {};                         // at these observations
  double information_gain = 0.0;                    // of these observations
  double jitter = 0.0;                              // the jitter that the factorization needed
  int evaluations = 0;                              // factorizations for the hyperparameters
  SearchPlan plan = {};
  std::vector<std::string> notes = {};  // for users: how this model was made
};

/// The state of the game, for strategies that play it. It is empty for other strategies.
struct GameState {
  std::optional<double> multiplier = std::nullopt;
  std::optional<double> violation = std::nullopt;
  std::optional<Phase> phase = std::nullopt;
};

/// Selects the model of the round or the model of all observations.
enum class Scope { round, all };

class ModelStrategy {
 public:
  ModelStrategy() = default;
  ModelStrategy(ModelStrategy&&) = delete;
  ModelStrategy& operator=(const ModelStrategy&) = delete;
  ModelStrategy& operator=(ModelStrategy&&) = delete;
  virtual ~ModelStrategy() = default;

  [[nodiscard]] virtual std::unique_ptr<ModelStrategy> clone() const = 0;

  /// Before query `round` (1, 2, ...), fit learns from the observations and makes the model of that
  /// round. If a query is made with this model, call keep_fit afterwards; otherwise call undo_fit.
  virtual void fit(const Observations& observations, int round) = 0;

  /// fit_all makes the model of all observations. It is called only if the model of the round does
  /// not use all of them (ModelDescription::points). The strategy learns nothing from fit_all. A
  /// strategy that always uses all observations need not override fit_all.
  virtual void fit_all(const Observations& /*observations*/, int /*round*/) {
    throw Error(ErrorCode::internal, "model", "has no model of all observations");
  }

  /// model describes the last model of this scope, and predictor returns its predictor.
  [[nodiscard]] virtual const ModelDescription& model(Scope scope) const = 0;
  [[nodiscard]] virtual prediction::Predictor& predictor(Scope scope) = 0;

  /// keep_fit makes the last fit part of the history. The argument is the log of the expected
  /// improvement at the suggested point, in the model's units, minus a penalty if the evaluation
  /// may fail. It is empty if the user chose the point, and for models of outcomes.
  virtual void keep_fit(std::optional<double> /*log_improvement*/) {}

  /// undo_fit reverts the last fit, unless it was kept.
  virtual void undo_fit() {}

  /// These functions give feedback to the strategy when a value is told. observe_initial is for a
  /// value before the first round, observe_unasked for a later value that had no prediction, and
  /// observe_prediction for a value that had one. Point indices are positions in Observations, and
  /// beta is the current beta of the intervals.
  virtual void observe_initial(Index /*point*/, double /*beta*/) {}
  virtual void observe_unasked(Index /*point*/, double /*beta*/) {}
  virtual void observe_prediction(const PredictionFeedback& /*feedback*/) {}

  [[nodiscard]] virtual GameState game() const { return {}; }

  /// finds_noise returns whether the last kept fit found noise that matters to the choice of the
  /// best point. Fits that were not kept have no say, because they are not in the log.
  [[nodiscard]] virtual bool finds_noise() const { return false; }

  /// doubles_held returns the memory that the models hold, in units of a double.
  [[nodiscard]] virtual Index doubles_held() const = 0;

 protected:
  ModelStrategy(const ModelStrategy&) = default;
};

using StrategyHandle = numeric::Cloned<ModelStrategy>;

}  // namespace oscbo::model
