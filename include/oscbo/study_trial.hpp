// File: oscbo/study_trial.hpp
//
// A point of a study with everything that is stored about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "oscbo/prediction.hpp"
#include "oscbo/record_fields.hpp"
#include "oscbo/trial_state.hpp"

namespace oscbo {

/// Trials are numbered from 1.
using TrialNumber = std::int64_t;

struct StudyCounts {
  std::int64_t pending = 0;
  std::int64_t leased = 0;  // pending trials with a lease; handed out again when it expires
  std::int64_t asked = 0;  // all asked trials that are not abandoned; the budget limits this number
  std::int64_t complete = 0;
  std::int64_t failed = 0;
  std::int64_t abandoned = 0;
};

/// How a point was found.
struct SuggestionRecord {
  double acceptable = 1.0;           // probability that all outcomes are within their limits
  double succeeds = 1.0;             // probability that the evaluation does not fail
  std::int64_t failed_restarts = 0;  // acquisition searches whose optimiser failed
  std::int64_t stream_step = 0;      // names the random streams used: (seed, purpose, stream_step)
  std::vector<TrialNumber> pending_seen = {};  // trials that were pending at the time
  std::string build = {};                      // the build of the program that found it
};

/// A point of a study, in the user's units. Times are milliseconds since 1970, UTC.
struct StudyTrial {
  TrialNumber number = 0;
  TrialState state = TrialState::pending;
  std::vector<double> x;
  std::vector<QuantityRecord> objectives = std::vector<QuantityRecord>(1);
  std::vector<QuantityRecord> outcomes = {};  // one for each outcome of the space
  std::string reason = {};                    // why it failed or was abandoned
  std::string worker = {};                    // who had it last; empty if it was not asked for
  int attempts = 0;                           // how often it was handed out and not handed back
  std::int64_t created = 0;
  std::optional<std::int64_t> finished = std::nullopt;
  bool is_acceptable = true;  // every told outcome is within its limits
  std::optional<SuggestionRecord> suggestion = std::nullopt;  // none if it was not asked for

  /// y, variance and prediction describe the first objective: its value (complete trials have one),
  /// the told variance of the value, and the prediction made before the value was known.
  [[nodiscard]] std::optional<double> y() const { return objectives.front().value; }
  [[nodiscard]] std::optional<double> variance() const { return objectives.front().variance; }
  [[nodiscard]] const std::optional<Prediction>& prediction() const& {
    return objectives.front().prediction;
  }
  [[nodiscard]] std::optional<Prediction> prediction() && {
    return std::move(objectives.front().prediction);
  }

  /// covered returns whether the value lies in the interval that was predicted before the value was
  /// known. It returns none without a value or a prediction.
  [[nodiscard]] std::optional<bool> covered() const;
};

template <>
struct RecordFields<SuggestionRecord> {
  static constexpr std::string_view kName = "SuggestionRecord";
  static constexpr std::tuple kList = {Field("acceptable", &SuggestionRecord::acceptable),
                                       Field("succeeds", &SuggestionRecord::succeeds),
                                       Field("failed_restarts", &SuggestionRecord::failed_restarts),
                                       Field("stream_step", &SuggestionRecord::stream_step),
                                       Field("pending_seen", &SuggestionRecord::pending_seen),
                                       Field("build", &SuggestionRecord::build)};
};

/// The fields of a trial. RecordFields<QuantityRecord> lists the fields of its quantities, and
/// RecordFields<SuggestionRecord> the fields that say how its point was found.
template <>
struct RecordFields<StudyTrial> {
  static constexpr std::string_view kName = "StudyTrial";
  static constexpr std::tuple kList = {Field("number", "trial", &StudyTrial::number),
                                       Field("state", &StudyTrial::state),
                                       Field("x", "point", &StudyTrial::x),
                                       Field("objectives", "value", &StudyTrial::objectives),
                                       Field("outcomes", &StudyTrial::outcomes),
                                       Field("reason", &StudyTrial::reason),
                                       Field("worker", &StudyTrial::worker),
                                       Field("attempts", &StudyTrial::attempts),
                                       Field("created", &StudyTrial::created),
                                       Field("finished", &StudyTrial::finished)};
};

}  // namespace oscbo
