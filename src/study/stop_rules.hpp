// When a study has gone on for long enough.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "oscbo/study.hpp"

namespace oscbo::study {

/// So many suggestions in a row must promise too little: some look only near the best point.
inline constexpr int kHopelessInARow = 5;

/// expected_gain returns by how much a value distributed as predicted can be expected to be better
/// than `best`: sd (u Phi(u) + phi(u)), u the distance of the mean beyond the best one in sd.
[[nodiscard]] double expected_gain(const Prediction& prediction, double best, Goal goal);

/// stop_reason returns why trials in the order of their end are enough, for people; none where
/// they are not.
[[nodiscard]] std::optional<std::string> stop_reason(const StopRules& rules, Goal goal,
                                                     std::span<const StudyTrial> trials);

}  // namespace oscbo::study
