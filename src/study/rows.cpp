#include "study/rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "oscbo/version.hpp"
#include "study/study_record.hpp"

namespace oscbo::study {

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
  storage::SuggestionRow row{.record = {.acceptable = suggestion.acceptable,
                                        .succeeds = suggestion.succeeds,
                                        .failed_restarts = suggestion.failed_restarts,
                                        .stream_step = suggestion.stream_step,
                                        .pending_seen = std::move(pending_seen),
                                        .build = this_build()}};
  if (!suggestion.prediction) return row;
  row.predictions.push_back({.prediction = in_user_units(*suggestion.prediction, sign)});
  for (const Prediction& outcome : suggestion.outcomes) {
    row.predictions.push_back({.quantity = std::ssize(row.predictions), .prediction = outcome});
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
  trial.suggestion = suggestion->record;
  for (const auto& [quantity, prediction] : suggestion->predictions) {
    if (quantity == 0) {
      trial.prediction = prediction;
    } else {
      trial.outcome_predictions.push_back(prediction);
    }
  }
  return trial;
}

std::vector<StudyTrial> study_trials(storage::Reader& reader, storage::StudyKey study,
                                     const SpaceDeclaration& space,
                                     std::optional<std::int64_t> last) {
  std::vector<StudyTrial> trials;
  const auto rows = reader.trials(study, last);
  if (rows.empty()) return trials;
  const auto suggestions = reader.suggestions(study, rows.front().number);
  auto suggestion = suggestions.begin();
  for (const storage::TrialRow& row : rows) {
    while (suggestion != suggestions.end() && suggestion->trial < row.number) ++suggestion;
    const bool is_its = suggestion != suggestions.end() && suggestion->trial == row.number;
    trials.push_back(study_trial(space, row, is_its ? std::optional(*suggestion) : std::nullopt));
  }
  return trials;
}

}  // namespace oscbo::study
