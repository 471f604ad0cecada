#include "optimizer/run_models.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/registry.hpp"
#include "numeric/normal.hpp"
#include "optimizer/space_layout.hpp"
#include "oscbo/error.hpp"

namespace oscbo {

using gp::Index;
using space::Columns;

namespace {

/// outcome_config returns the configuration that models outcomes.
Config outcome_config(Config config) {
  const model::ModelInfo& info = model::model_of(config);
  if (info.compose_outcome != nullptr) info.compose_outcome(config);
  return config;
}

/// violation_of returns by how much a value misses its limits.
double violation_of(const Outcome& outcome, double value) {
  return std::max({0.0, outcome.lower - value, value - outcome.upper});
}

double probability_within(const Prediction& prediction, const Outcome& limits) {
  return numeric::normal_cdf((limits.upper - prediction.mean) / prediction.sd) -
         numeric::normal_cdf((limits.lower - prediction.mean) / prediction.sd);
}

// The expected improvement of a suggestion is multiplied by P(success) to this power. A hill that
// is cut off where evaluations begin to fail has no top: a point closer to the border always gains
// a little, so the hill would never count as climbed.
constexpr double kFailureExponent = 5.0;

/// observe adds an observation and gives its strategy feedback on the prediction, if there was one.
std::optional<Feedback> observe(QuantityModel& quantity, const Columns& columns, double value,
                                std::optional<double> variance, bool before_rounds,
                                const std::optional<Prediction>& shown,
                                const ModelPrediction* prediction) {
  const Index point = quantity.add(columns, value, variance);
  if (shown && prediction != nullptr) {
    return quantity.give_feedback(*shown, *prediction, value, variance, point);
  }
  quantity.observe_unpredicted(point, before_rounds);
  return std::nullopt;
}

}  // namespace

RunModels::RunModels(const Config& config, const Space& space, std::uint64_t seed)
    : space_(space),
      objective_(config, layout_of(space.domain()), seed),
      outcomes_(space.declaration().outcomes.size(),
                QuantityModel(outcome_config(config), layout_of(space.domain()), seed)) {}

QuantityModel& RunModels::outcome(std::size_t c) {
  if (c >= outcomes_.size()) {
    throw Error(ErrorCode::unknown_name, "outcome",
                fmt::format("{} is not declared; the space has {}", c, outcomes_.size()));
  }
  return outcomes_[c];
}

// --- observations --------------------------------------------------------------------------------

void RunModels::record(const Columns& columns, const Measurement& measurement,
                       const Predictions* predictions, bool before_rounds, Trial& trial) {
  QuantityRecord& objective = trial.objectives.front();
  objective.feedback = observe(objective_, columns, measurement.y.front(),
                               measurement.variance.front(), before_rounds, objective.prediction,
                               predictions != nullptr ? &predictions->objective : nullptr);
  for (std::size_t c = 0; c < outcomes_.size(); ++c) {
    QuantityRecord& outcome = trial.outcomes[c];
    outcome.value = measurement.outcomes[c];
    if (!space_.declaration().outcomes[c].accepts(*outcome.value)) trial.is_acceptable = false;
    outcome.feedback =
        observe(outcomes_[c], columns, *outcome.value, std::nullopt, before_rounds,
                outcome.prediction, predictions != nullptr ? &predictions->outcomes[c] : nullptr);
  }
  if (success_) success_->add(columns.entries(), /*succeeded=*/true);
  end_round();
}

void RunModels::record_failure(const Columns& columns) {
  if (!success_) {
    success_.emplace(layout_of(space_.domain()));
    for (const Columns& observed : objective_.data().columns())
      success_->add(observed.entries(), true);
  }
  success_->add(columns.entries(), /*succeeded=*/false);
  end_round();
}

/// misses returns by how much each observation misses its limits. Each miss is divided by the
/// standard deviation of the measured outcome, and the misses are summed.
std::vector<double> RunModels::misses() const {
  std::vector<double> sums(objective_.data().size(), 0.0);
  for (std::size_t c = 0; c < outcomes_.size(); ++c) {
    const std::vector<double>& values = outcomes_[c].data().y();
    const double unit = Standardizer::of(values).length_from_z(1.0);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += violation_of(space_.declaration().outcomes[c], values[i]) / unit;
    }
  }
  return sums;
}

RunModels::Best RunModels::best_of(const std::vector<double>& merit) const {
  const std::vector<double> missed = misses();
  std::size_t best = 0;
  for (std::size_t i = 1; i < merit.size(); ++i) {
    if (missed[i] < missed[best] || (missed[i] == missed[best] && merit[i] > merit[best])) best = i;
  }
  return {.observation = static_cast<Index>(best), .is_acceptable = missed[best] == 0.0};
}

// --- the models of a round -----------------------------------------------------------------------

// The objective comes last: there is a round once all models are fitted.
void RunModels::fit(int round, PendingPoints pending) {
  for (QuantityModel& outcome : outcomes_) outcome.fit(round, std::nullopt);
  if (success_) success_->fit();
  std::optional<Index> best;  // the observation to improve on, where limits say which
  if (!outcomes_.empty()) best = best_of(objective_.data().y()).observation;
  objective_.fit(round, best, static_cast<int>(pending.size()));
}

void RunModels::end_round() {
  objective_.end_round();
  for (QuantityModel& outcome : outcomes_) outcome.end_round();
}

void RunModels::condition_on_pending(PendingPoints pending) {
  objective_.condition_on_pending(pending);
  for (QuantityModel& outcome : outcomes_) outcome.condition_on_pending(pending);
}

ModelsInForce RunModels::with_objective(const QuantityView& objective) {
  ModelsInForce models{.objective = objective,
                       .outcomes = {},
                       .success = success_ ? &*success_ : nullptr,
                       .knows_acceptable = best_of(objective_.data().y()).is_acceptable};
  for (QuantityModel& outcome : outcomes_) models.outcomes.push_back(outcome.view());
  return models;
}

ModelsInForce RunModels::of_round() { return with_objective(objective_.view()); }

ModelsInForce RunModels::of_all(int round, PendingPoints pending) {
  return with_objective(objective_.view_of_all(round, pending));
}

RunModels::Predictions RunModels::predict(const ModelsInForce& models, const Columns& columns,
                                          bool is_chosen, Trial& trial, Suggestion& suggestion) {
  Predictions predictions{.objective = models.objective.predict(columns), .outcomes = {}};
  Prediction objective = models.objective.in_units_of_y(predictions.objective);
  objective.objective_evaluations = objective_.take_evaluations();
  trial.objectives.front().prediction = objective;
  suggestion.prediction = objective;
  suggestion.notes = models.objective.model().notes;
  for (std::size_t c = 0; c < outcomes_.size(); ++c) {
    predictions.outcomes.push_back(models.outcomes[c].predict(columns));
    const Prediction shown = models.outcomes[c].in_units_of_y(predictions.outcomes.back());
    outcomes_[c].keep_fit(std::nullopt);
    trial.outcomes[c].prediction = shown;
    suggestion.outcomes.push_back(shown);
    suggestion.acceptable *= probability_within(shown, space_.declaration().outcomes[c]);
  }
  const double log_success = success_ ? success_->log_probability(columns.entries()) : 0.0;
  suggestion.succeeds = std::exp(log_success);
  const double promised = predictions.objective.log_improvement + kFailureExponent * log_success;
  objective_.keep_fit(is_chosen ? std::nullopt : std::optional(promised));
  return predictions;
}

Index RunModels::doubles_held() const {
  Index doubles = objective_.doubles_held() + (success_ ? success_->doubles_held() : 0);
  for (const QuantityModel& outcome : outcomes_) doubles += outcome.doubles_held();
  return doubles;
}

}  // namespace oscbo
