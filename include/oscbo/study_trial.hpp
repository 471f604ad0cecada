// File: oscbo/study_trial.hpp
//
// What can become of the trials of a study, and how many of each there are.
#pragma once

#include <cstdint>
#include <string_view>

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

}  // namespace oscbo
