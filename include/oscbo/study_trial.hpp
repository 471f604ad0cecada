// File: oscbo/study_trial.hpp
//
// A point of a study with all that is stored of it.
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

namespace oscbo {

/// Trials are numbered from 1.
using TrialNumber = std::int64_t;

enum class StudyTrialState { pending, complete, failed, abandoned };

/// to_string returns "pending", "complete", "failed", "abandoned".
[[nodiscard]] std::string_view to_string(StudyTrialState state) noexcept;

struct StudyCounts {
  std::int64_t pending = 0;
  std::int64_t leased = 0;  // of the pending ones, those that are handed out again some time
  std::int64_t asked = 0;   // of all but the abandoned ones: what the budget is compared with
  std::int64_t complete = 0;
  std::int64_t failed = 0;
  std::int64_t abandoned = 0;
};

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
  std::vector<QuantityRecord> objectives = std::vector<QuantityRecord>(1);
  std::vector<QuantityRecord> outcomes = {};  // one for each outcome of the space
  std::string reason = {};                    // why it failed or was abandoned
  std::string worker = {};                    // who had it last; empty where nobody asked for it
  int attempts = 0;                           // times it was handed out
  std::int64_t created = 0;
  std::optional<std::int64_t> finished = std::nullopt;
  bool is_acceptable = true;  // all outcomes told are within their limits
  std::optional<SuggestionRecord> suggestion = std::nullopt;  // none where nobody asked for it

  /// Of a single objective: its value, which complete trials have, the variance of it where it was
  /// told, and what was predicted before.
  [[nodiscard]] std::optional<double> y() const { return objectives.front().value; }
  [[nodiscard]] std::optional<double> variance() const { return objectives.front().variance; }
  [[nodiscard]] const std::optional<Prediction>& prediction() const& {
    return objectives.front().prediction;
  }
  [[nodiscard]] std::optional<Prediction> prediction() && {
    return std::move(objectives.front().prediction);
  }

  /// covered returns whether the value lies in the interval that was shown before it was known;
  /// none without one of them.
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

/// What is known of a trial; of its quantities it is declared by QuantityRecord, and how its point
/// was found by SuggestionRecord.
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
