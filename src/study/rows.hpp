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

/// suggestion_row returns what is stored of a suggestion.
[[nodiscard]] storage::SuggestionRow suggestion_row(const Suggestion& suggestion,
                                                    std::vector<std::int64_t> pending_seen);

/// objective_rows returns what is stored of the objectives that were measured.
[[nodiscard]] std::vector<storage::ObjectiveRow> objective_rows(const Measurement& measurement);

/// measurement_of returns what was measured of objectives, without outcomes.
[[nodiscard]] Measurement measurement_of(std::span<const storage::ObjectiveRow> objectives);

/// is_same_point compares two points, in which NaN stands for parameters that are not active.
[[nodiscard]] bool is_same_point(std::span<const double> a, std::span<const double> b);

/// this_build describes the program: its version, and what decides the last bits of its results.
[[nodiscard]] std::string this_build();

[[nodiscard]] StudyTrial study_trial(const SpaceDeclaration& space, const storage::TrialRow& row,
                                     const std::optional<storage::SuggestionRow>& suggestion);

/// Which trials to read, and whether with their suggestions, which take the longest to read.
struct TrialSelection {
  std::optional<std::int64_t> last = std::nullopt;  // this many of the latest; none: all
  bool with_suggestions = true;
};

/// study_trials returns trials of a study. A trial whose suggestion is being computed has no point.
[[nodiscard]] std::vector<StudyTrial> study_trials(storage::Reader& reader, storage::StudyKey study,
                                                   const SpaceDeclaration& space,
                                                   const TrialSelection& which = {});

}  // namespace oscbo::study
