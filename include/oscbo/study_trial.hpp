// File: oscbo/study_trial.hpp
//
// A point of a study with all that is stored of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "oscbo/prediction.hpp"
#include "oscbo/record_fields.hpp"

namespace oscbo {

/// Trials are numbered from 1.
using TrialNumber = std::int64_t;

enum class StudyTrialState { pending, complete, failed, abandoned };

/// to_string returns "pending", "complete", "failed", "abandoned".
[[nodiscard]] std::string_view to_string(StudyTrialState state) noexcept;

/// How a point was found.
struct SuggestionRecord {
  double acceptable = 1.0;           // probability that all outcomes are within their limits
  double succeeds = 1.0;             // probability that the evaluation does not fail
  std::int64_t failed_restarts = 0;  // acquisition searches that ended early
  std::int64_t stream_step = 0;      // its random streams: (seed, purpose, this)
  std::vector<TrialNumber> pending_seen = {};  // trials that were pending
  std::string build = {};                      // of the program that found it
};

/// A point of a study, in the user's units. Times are milliseconds since 1970, UTC.
struct StudyTrial {
  TrialNumber number = 0;
  StudyTrialState state = StudyTrialState::pending;
  std::vector<double> x;
  std::optional<double> y = std::nullopt;
  std::optional<double> variance = std::nullopt;
  std::vector<double> outcomes = {};
  std::string reason = {};  // why it failed or was abandoned
  std::string worker = {};  // who had it last; empty where nobody asked for it
  int attempts = 0;         // times it was handed out
  std::int64_t created = 0;
  std::optional<std::int64_t> finished = std::nullopt;
  std::optional<Prediction> prediction = std::nullopt;  // before y was known
  std::vector<Prediction> outcome_predictions = {};
  bool is_acceptable = true;  // all outcomes told are within their limits
  std::optional<SuggestionRecord> suggestion = std::nullopt;  // none where nobody asked for it

  /// covered returns whether the value lies in the interval that was shown before it was known;
  /// none without one of them.
  [[nodiscard]] std::optional<bool> covered() const;
};

template <>
struct RecordFields<SuggestionRecord> {
  static constexpr std::tuple list = {Field("acceptable", &SuggestionRecord::acceptable),
                                      Field("succeeds", &SuggestionRecord::succeeds),
                                      Field("failed_restarts", &SuggestionRecord::failed_restarts),
                                      Field("stream_step", &SuggestionRecord::stream_step),
                                      Field("pending_seen", &SuggestionRecord::pending_seen),
                                      Field("build", &SuggestionRecord::build)};
};

/// What is known of a trial itself; what was predicted of it is declared by Prediction, and how it
/// was found by SuggestionRecord.
template <>
struct RecordFields<StudyTrial> {
  static constexpr std::tuple list = {
      Field("number", "trial", &StudyTrial::number), Field("state", &StudyTrial::state),
      Field("x", "point", &StudyTrial::x),           Field("y", "value", &StudyTrial::y),
      Field("variance", &StudyTrial::variance),      Field("outcomes", &StudyTrial::outcomes),
      Field("reason", &StudyTrial::reason),          Field("worker", &StudyTrial::worker),
      Field("attempts", &StudyTrial::attempts),      Field("created", &StudyTrial::created),
      Field("finished", &StudyTrial::finished)};
};

}  // namespace oscbo
