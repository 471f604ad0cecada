#include "study/rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "oscbo/version.hpp"
#include "study/study_record.hpp"

namespace oscbo::study {
namespace {

storage::PredictionRow prediction_row(const Prediction& prediction, std::int64_t quantity) {
  return {.quantity = quantity,
          .mean = prediction.mean,
          .sd = prediction.sd,
          .width = prediction.width,
          .observation_sd = prediction.observation_sd,
          .beta = prediction.beta,
          .acquisition = prediction.acquisition,
          .lengthscales = prediction.lengthscales,
          .multiplier = prediction.multiplier,
          .phase = prediction.phase ? std::string(to_string(*prediction.phase)) : std::string(),
          .jitter = prediction.jitter,
          .evaluations = prediction.objective_evaluations};
}

std::optional<Phase> phase_of(const std::string& text) {
  for (const Phase phase : {Phase::play, Phase::recovery}) {
    if (text == to_string(phase)) return phase;
  }
  return std::nullopt;
}

Prediction prediction_of(const storage::PredictionRow& row) {
  return {.mean = row.mean,
          .sd = row.sd,
          .width = row.width,
          .observation_sd = row.observation_sd,
          .beta = row.beta,
          .acquisition = row.acquisition,
          .lengthscales = row.lengthscales,
          .multiplier = row.multiplier,
          .phase = phase_of(row.phase),
          .jitter = row.jitter,
          .objective_evaluations = static_cast<int>(row.evaluations)};
}

}  // namespace

Prediction in_user_units(Prediction prediction, double sign) {
  prediction.mean *= sign;
  return prediction;
}

bool is_same_point(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double u, double v) { return u == v || (std::isnan(u) && std::isnan(v)); });
}

std::string this_build() { return fmt::format("oscbo {}, {}", version(), build_description()); }

storage::SuggestionRow suggestion_row(const Suggestion& suggestion, double sign,
                                      std::vector<std::int64_t> pending_seen) {
  storage::SuggestionRow row{.acceptable = suggestion.acceptable,
                             .succeeds = suggestion.succeeds,
                             .failed_restarts = suggestion.failed_restarts,
                             .stream_step = suggestion.stream_step,
                             .pending_seen = std::move(pending_seen),
                             .build = this_build(),
                             .predictions = {}};
  if (!suggestion.prediction) return row;
  row.predictions.push_back(prediction_row(in_user_units(*suggestion.prediction, sign), 0));
  for (const Prediction& outcome : suggestion.outcomes) {
    row.predictions.push_back(prediction_row(outcome, std::ssize(row.predictions)));
  }
  return row;
}

StudyTrial study_trial(const SpaceDeclaration& space, const storage::TrialRow& row,
                       const std::optional<storage::SuggestionRow>& suggestion) {
  StudyTrial trial{.number = row.number,
                   .state = row.state,
                   .x = row.x.value_or(std::vector<double>()),
                   .y = row.y,
                   .variance = row.variance,
                   .outcomes = row.outcomes,
                   .reason = row.reason,
                   .worker = row.lease ? row.lease->worker : std::string(),
                   .attempts = row.attempts,
                   .created = row.created,
                   .finished = row.finished};
  trial.is_acceptable = accepts(space, row.outcomes);
  if (!suggestion) return trial;
  for (const storage::PredictionRow& prediction : suggestion->predictions) {
    if (prediction.quantity == 0) {
      trial.prediction = prediction_of(prediction);
    } else {
      trial.outcome_predictions.push_back(prediction_of(prediction));
    }
  }
  return trial;
}

}  // namespace oscbo::study
