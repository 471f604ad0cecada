// What the library calls a suggestion or a trial, and what the storage keeps of it.
#pragma once

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

[[nodiscard]] StudyTrial study_trial(const storage::TrialRow& row,
                                     const std::optional<storage::SuggestionRow>& suggestion);

}  // namespace oscbo::study
