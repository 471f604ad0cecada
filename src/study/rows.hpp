// What the library calls a suggestion or a trial, and what the storage keeps of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oscbo/study.hpp"
#include "storage/storage.hpp"

namespace oscbo::study {

/// suggestion_row returns what is stored of a suggestion, in the user's units: `sign` times the
/// values of the optimizer.
[[nodiscard]] storage::SuggestionRow suggestion_row(const Suggestion& suggestion, double sign,
                                                    std::vector<std::int64_t> pending_seen);

/// in_user_units turns the prediction of an optimizer into one of the user's values.
[[nodiscard]] Prediction in_user_units(Prediction prediction, double sign);

/// is_same_point compares two points, in which NaN stands for parameters that are not active.
[[nodiscard]] bool is_same_point(std::span<const double> a, std::span<const double> b);

/// this_build describes the program: its version, and what decides the last bits of its results.
[[nodiscard]] std::string this_build();

[[nodiscard]] StudyTrial study_trial(const SpaceDeclaration& space, const storage::TrialRow& row,
                                     const std::optional<storage::SuggestionRow>& suggestion);

/// study_trials returns all trials, or the `last` so many. One whose suggestion is being worked out
/// has no point.
[[nodiscard]] std::vector<StudyTrial> study_trials(storage::Reader& reader, storage::StudyKey study,
                                                   const SpaceDeclaration& space,
                                                   std::optional<std::int64_t> last = std::nullopt);

}  // namespace oscbo::study
