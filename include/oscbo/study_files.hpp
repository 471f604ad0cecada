// File: oscbo/study_files.hpp
//
// Observations from elsewhere: tables, and studies of Optuna.
#pragma once

#include <filesystem>
#include <istream>
#include <string>
#include <vector>

#include "oscbo/study.hpp"

namespace oscbo {

/// What a table holds.
struct TableOfTrials {
  std::vector<Study::Observation> observations;
  std::size_t left_out = 0;  // rows that are not complete
};

/// trials_from_csv reads a table with a column for every parameter of the study, `value`, and maybe
/// `variance`; and one for every outcome. Categories are given by their names; an empty cell stands
/// for a parameter that is not active. A column `state`, as `oscbo trials --format csv` has it,
/// leaves out rows that are not complete; columns that are none of these are refused, except for
/// those that `oscbo trials` prints. Throws Error (invalid_value) naming line and column.
[[nodiscard]] TableOfTrials trials_from_csv(std::istream& stream, const std::string& name,
                                            const Space& space);

/// A study of another program: what it was about, and what was observed.
struct ForeignStudy {
  StudyDeclaration declaration;
  std::vector<Study::Observation> observations;
  std::size_t left_out = 0;  // trials without a value or without parameters
};

/// read_optuna reads a study from the SQLite database of Optuna; `study` may be empty where there
/// is one only. A parameter that not all complete trials have gets the condition under which they
/// have it, where the value of a category says so, and is refused otherwise. Throws Error: io,
/// unknown_name for a study that is not there, invalid_value for one that has several objectives or
/// a kind of parameter that is not known.
[[nodiscard]] ForeignStudy read_optuna(const std::filesystem::path& file, const std::string& name);

}  // namespace oscbo
