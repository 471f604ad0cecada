// The rules that end a study.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "oscbo/study.hpp"

namespace oscbo::study {

/// The number of consecutive suggestions that must promise too little before the rule expected_gain
/// ends the study. One is not enough, because some rounds search only near the best point.
inline constexpr int kHopelessInARow = 5;

/// expected_gain returns how much better than `best` a value with the predicted distribution is
/// expected to be: sd (u Phi(u) + phi(u)). Here u is the distance of the mean beyond `best` in
/// units of sd. Phi and phi are the distribution function and the density of the standard normal
/// distribution.
[[nodiscard]] double expected_gain(const Prediction& prediction, double best, Goal goal);

/// stop_by_time returns why a run that has taken `run_seconds` should end, or nullopt if it may go
/// on.
[[nodiscard]] std::optional<StopReason> stop_by_time(const StopRules& rules, double run_seconds);

/// looks_at_trials returns whether any of the rules depends on trials.
[[nodiscard]] bool looks_at_trials(const StopRules& rules);

/// stop_by_trials returns why the study should end after these trials, or nullopt if it may go on.
/// The trials must be ordered by when they ended.
[[nodiscard]] std::optional<StopReason> stop_by_trials(const StopRules& rules, Goal goal,
                                                       std::span<const StudyTrial> trials);

/// stop_by_budget returns a reason once the budget is used up and no leased trial is pending.
[[nodiscard]] std::optional<StopReason> stop_by_budget(int budget, const StudyCounts& counts);

/// budget_used_up and failing are documented in the class Study.
[[nodiscard]] std::optional<std::string> budget_used_up(int budget, const StudyCounts& counts);
[[nodiscard]] std::optional<std::string> failing(const StudyCounts& counts,
                                                 const std::string& last);

}  // namespace oscbo::study
