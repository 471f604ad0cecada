#include "study/rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "oscbo/version.hpp"
#include "study/study_record.hpp"

namespace oscbo::study {

std::vector<storage::ObjectiveRow> objective_rows(const Measurement& measurement) {
  std::vector<storage::ObjectiveRow> rows;
  for (std::size_t i = 0; i < measurement.y.size(); ++i) {
    rows.push_back({.value = measurement.y[i], .variance = measurement.variance[i]});
  }
  return rows;
}

Measurement measurement_of(std::span<const storage::ObjectiveRow> objectives) {
  std::vector<double> values;
  std::vector<std::optional<double>> variances;
  for (const auto& [value, variance] : objectives) {
    values.push_back(value);
    variances.push_back(variance);
  }
  return {.y = PerObjective(std::move(values)), .variance = PerObjective(std::move(variances))};
}

bool is_same_point(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double u, double v) { return u == v || (std::isnan(u) && std::isnan(v)); });
}

std::string this_build() { return fmt::format("oscbo {}, {}", version(), build_description()); }

storage::SuggestionRow suggestion_row(const StudyDeclaration& declaration,
                                      const Suggestion& suggestion,
                                      std::vector<std::int64_t> pending_seen) {
  storage::SuggestionRow row{.record = {.acceptable = suggestion.acceptable,
                                        .succeeds = suggestion.succeeds,
                                        .failed_restarts = suggestion.failed_restarts,
                                        .stream_step = suggestion.stream_step,
                                        .pending_seen = std::move(pending_seen),
                                        .build = this_build()}};
  if (!suggestion.prediction) return row;
  const auto add = [&](std::size_t quantity, const Prediction& prediction) {
    row.predictions.push_back(
        {.quantity = static_cast<std::int64_t>(quantity), .prediction = prediction});
  };
  add(0, *suggestion.prediction);
  for (std::size_t i = 0; i < suggestion.outcomes.size(); ++i) {
    add(declaration.quantities().of_outcome(i), suggestion.outcomes[i]);
  }
  return row;
}

StudyTrial study_trial(const StudyDeclaration& declaration, const storage::TrialRow& row,
                       const std::optional<storage::SuggestionRow>& suggestion) {
  const Quantities quantities = declaration.quantities();
  check_values(quantities, row.number, row.state, row.objectives.size());
  StudyTrial trial{.number = row.number,
                   .state = row.state,
                   .x = row.x.value_or(std::vector<double>()),
                   .objectives = std::vector<QuantityRecord>(quantities.objectives),
                   .outcomes = std::vector<QuantityRecord>(quantities.outcomes),
                   .reason = row.reason,
                   .worker = row.lease ? row.lease->worker : std::string(),
                   .attempts = row.attempts,
                   .created = row.created,
                   .finished = row.finished};
  for (std::size_t i = 0; i < row.objectives.size(); ++i) {
    trial.objectives[i].value = row.objectives[i].value;
    trial.objectives[i].variance = row.objectives[i].variance;
  }
  for (std::size_t i = 0; i < row.outcomes.size(); ++i) {
    trial.outcomes[i].value = row.outcomes[i];
  }
  trial.is_acceptable = accepts(declaration.space, row.outcomes);
  if (!suggestion) return trial;
  trial.suggestion = suggestion->record;
  for (const auto& [quantity, prediction] : suggestion->predictions) {
    quantity_of(trial, static_cast<std::size_t>(quantity)).prediction = prediction;
  }
  return trial;
}

std::vector<StudyTrial> study_trials(storage::Reader& reader, storage::StudyKey study,
                                     const StudyDeclaration& declaration,
                                     const TrialSelection& which) {
  std::vector<StudyTrial> trials;
  const auto rows = reader.trials(study, which.last);
  if (rows.empty()) return trials;
  std::vector<storage::SuggestionRow> suggestions;
  if (which.with_suggestions) suggestions = reader.suggestions(study, rows.front().number);
  auto suggestion = suggestions.begin();
  for (const storage::TrialRow& row : rows) {
    while (suggestion != suggestions.end() && suggestion->trial < row.number) ++suggestion;
    const bool is_its = suggestion != suggestions.end() && suggestion->trial == row.number;
    trials.push_back(
        study_trial(declaration, row, is_its ? std::optional(*suggestion) : std::nullopt));
  }
  return trials;
}

}  // namespace oscbo::study
