// Converts suggestions and trials between the types of the library and the rows of the storage.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oscbo/study.hpp"
#include "storage/storage.hpp"

namespace oscbo::study {

/// suggestion_row returns the row to store for a suggestion.
[[nodiscard]] storage::SuggestionRow suggestion_row(const StudyDeclaration& declaration,
                                                    const Suggestion& suggestion,
                                                    std::vector<std::int64_t> pending_seen);

/// objective_rows returns the rows to store for the measured objectives.
[[nodiscard]] std::vector<storage::ObjectiveRow> objective_rows(const Measurement& measurement);

/// measurement_of returns the measurement of the objectives, without outcomes.
[[nodiscard]] Measurement measurement_of(std::span<const storage::ObjectiveRow> objectives);

/// is_same_point compares two points. NaN stands for a parameter that is not active.
[[nodiscard]] bool is_same_point(std::span<const double> a, std::span<const double> b);

/// this_build describes the program: its version, and the details of the build that affect the last
/// bits of its results.
[[nodiscard]] std::string this_build();

/// study_trial returns the trial of a row. Throws the errors of check_values.
[[nodiscard]] StudyTrial study_trial(const StudyDeclaration& declaration,
                                     const storage::TrialRow& row,
                                     const std::optional<storage::SuggestionRow>& suggestion);

/// Selects which trials to read. Reading suggestions takes the longest, so they can be left out.
struct TrialSelection {
  std::optional<std::int64_t> last = std::nullopt;  // only this many of the latest; none: all
  bool with_suggestions = true;
};

/// study_trials returns trials of a study. A trial whose suggestion is still being computed has no
/// point. Throws the errors of check_values.
[[nodiscard]] std::vector<StudyTrial> study_trials(storage::Reader& reader, storage::StudyKey study,
                                                   const StudyDeclaration& declaration,
                                                   const TrialSelection& which = {});

}  // namespace oscbo::study
