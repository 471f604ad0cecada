#include "study/looking.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "study/export_json.hpp"
#include "study/insight.hpp"
#include "study/rows.hpp"
#include "study/stop_rules.hpp"

namespace oscbo::study {

using storage::EventRow;
using storage::Reader;
using storage::ValueRow;

namespace {

/// Counts the queued points while following the log. An ask takes the first queued point unless
/// values are given with it.
class QueueLength {
 public:
  /// follow returns whether the entry is an ask that was answered from the queue.
  bool follow(const EventRow& event) {
    if (event.kind == "queue") ++length_;
    const bool takes_one = event.kind == "ask" && event.text.empty() && length_ > 0;
    if (takes_one) --length_;
    return takes_one;
  }

 private:
  int length_ = 0;
};

}  // namespace

std::optional<std::string> Looking::ended() const {
  std::optional<std::string> reason;
  record_.storage->read(
      [&](Reader& reader) { reason = find_study(reader, record_.row.name).ended; });
  return reason;
}

std::vector<Study::Report> Looking::reports() const {
  std::vector<Study::Report> result;
  record_.storage->read([&](Reader& reader) {
    for (const auto& [trial, step, value] : reader.reports(record_.row.key)) {
      result.push_back({.number = trial, .step = step, .value = value});
    }
  });
  return result;
}

std::vector<Study::Attribute> Looking::attributes() const {
  std::vector<Study::Attribute> result;
  record_.storage->read([&](Reader& reader) {
    for (auto& [trial, key, value] : reader.attributes(record_.row.key)) {
      result.push_back({.number = trial, .key = std::move(key), .value = std::move(value)});
    }
  });
  return result;
}

std::vector<ProgramOutput> Looking::outputs(TrialNumber number) const {
  std::vector<ProgramOutput> result;
  record_.storage->read([&](Reader& reader) {
    for (storage::OutputRow& row : reader.outputs(record_.row.key, number)) {
      result.push_back({.attempt = static_cast<int>(row.attempt),
                        .output = std::move(row.output),
                        .errors = std::move(row.errors),
                        .ending = std::move(row.ending)});
    }
  });
  return result;
}

StudyCounts Looking::counts() const {
  StudyCounts counts;
  record_.storage->read([&](Reader& reader) { counts = reader.counts(record_.row.key); });
  return counts;
}

std::vector<StudyTrial> Looking::trials(std::optional<std::int64_t> last) const {
  std::vector<StudyTrial> result;
  record_.storage->read([&](Reader& reader) {
    result = study_trials(reader, record_.row.key, record_.declaration, {.last = last});
  });
  // No worker holds a trial whose suggestion is still being computed.
  std::erase_if(result, [](const StudyTrial& trial) { return trial.x.empty(); });
  return result;
}

std::optional<StopReason> Looking::stop_reason(double run_seconds) const {
  const StudyDeclaration& declaration = record_.declaration;
  if (auto reason = stop_by_time(declaration.stop, run_seconds)) return reason;
  std::optional<StopReason> reason;
  record_.storage->read([&](Reader& reader) {
    if (looks_at_trials(declaration.stop)) {
      // Only expected_gain looks at predictions.
      std::vector<StudyTrial> trials =
          study_trials(reader, record_.row.key, declaration,
                       {.with_suggestions = declaration.stop.expected_gain.has_value()});
      std::erase_if(trials, [](const StudyTrial& trial) { return !trial.finished; });
      std::stable_sort(trials.begin(), trials.end(), [](const StudyTrial& a, const StudyTrial& b) {
        return *a.finished < *b.finished;
      });
      reason = stop_by_trials(declaration.stop, declaration.goal, trials);
    }
    if (!reason) reason = stop_by_budget(declaration.budget, reader.counts(record_.row.key));
  });
  return reason;
}

StudyTrial Looking::trial(TrialNumber number) const {
  StudyTrial trial;
  record_.storage->read([&](Reader& reader) {
    trial = study_trial(record_.declaration, find_trial(record_, reader, number),
                        reader.suggestion(record_.row.key, number));
  });
  return trial;
}

std::optional<StudyTrial> Looking::best_observed() const {
  std::optional<StudyTrial> result;
  record_.storage->read([&](Reader& reader) {
    const SpaceDeclaration& space = record_.declaration.space;
    const Quantities quantities = record_.declaration.quantities();
    std::optional<ValueRow> best;
    for (ValueRow& row : reader.values(record_.row.key)) {
      check_values(quantities, row.trial, TrialState::complete, row.objectives.size());
      const bool is_new_best = accepts(space, row.outcomes) &&
                               (!best || is_better(record_.declaration.goal, row.objectives.front(),
                                                   best->objectives.front()));
      if (is_new_best) best = std::move(row);
    }
    if (!best) return;
    result = study_trial(record_.declaration, find_trial(record_, reader, best->trial),
                         reader.suggestion(record_.row.key, best->trial));
  });
  return result;
}

Study::Explanation Looking::explain(TrialNumber number) const {
  Study::Explanation result;
  record_.storage->read([&](Reader& reader) {
    const auto suggestion = reader.suggestion(record_.row.key, number);
    result.trial =
        study_trial(record_.declaration, find_trial(record_, reader, number), suggestion);
    if (!suggestion) {
      throw Error(ErrorCode::conflict, "trial",
                  fmt::format("{} was told without having been asked for", number));
    }
    result.pending_seen = suggestion->record.pending_seen;
    result.acceptable = suggestion->record.acceptable;
    result.succeeds = suggestion->record.succeeds;
    result.stream_step = suggestion->record.stream_step;
    result.build = suggestion->record.build;
    if (result.trial.prediction()) {
      result.lengthscales = lengthscales_of(record_.declaration, *result.trial.prediction());
    }
    bool is_queued = false;
    for (QueueLength queue; const EventRow& event : reader.events(record_.row.key, 0)) {
      is_queued = queue.follow(event);
      if (event.kind == "ask" && event.trial == number) {
        result.given = given_from_text(event.text);
        break;
      }
      if (event.kind == "tell" || event.kind == "extra") add_neighbour(result, event);
    }
    using ChosenBy = Study::Explanation::ChosenBy;
    if (result.trial.prediction()) result.chosen_by = ChosenBy::model;
    if (is_queued) result.chosen_by = ChosenBy::queue;
  });
  constexpr std::size_t kMost = 5;
  std::sort(
      result.nearest.begin(), result.nearest.end(),
      [](const Study::Neighbour& a, const Study::Neighbour& b) { return a.distance < b.distance; });
  result.nearest.resize(std::min(result.nearest.size(), kMost));
  if (!result.trial.prediction() || !result.best_before) return result;
  const Prediction& prediction = *result.trial.prediction();
  result.expected_gain = expected_gain(prediction, *result.best_before, record_.declaration.goal);
  result.exploration = exploration_share(prediction, *result.best_before, record_.declaration.goal);
  return result;
}

std::string Looking::to_json() const {
  std::string text;
  record_.storage->read([&](Reader& reader) { text = study_to_json(reader, record_); });
  return text;
}

CalibrationReport Looking::calibration(std::size_t quantity) const {
  record_.declaration.quantities().check(quantity);
  std::vector<Forecast> forecasts;
  for (const StudyTrial& trial : trials(std::nullopt)) {
    const QuantityRecord& record = quantity_of(trial, quantity);
    if (!record.value || !record.prediction) continue;
    forecasts.push_back(make_forecast(*record.prediction, *record.value));
  }
  return oscbo::calibration(forecasts);
}

/// add_neighbour adds an observation that was known when the trial was asked for.
void Looking::add_neighbour(Study::Explanation& explanation, const EventRow& told) const {
  check_values(record_.declaration.quantities(), *told.trial, TrialState::complete,
               told.objectives.size());
  const double y = told.objectives.front().value;
  const bool is_best =
      !explanation.best_before || is_better(record_.declaration.goal, y, *explanation.best_before);
  if (is_best && accepts(record_.declaration.space, told.outcomes)) explanation.best_before = y;
  const double away =
      distance(record_.space, explanation.lengthscales, explanation.trial.x, *told.x);
  explanation.nearest.push_back({.number = *told.trial, .distance = away, .y = y});
}

}  // namespace oscbo::study
