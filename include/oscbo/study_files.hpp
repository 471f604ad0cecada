// File: oscbo/study_files.hpp
//
// Imports observations from tables and from Optuna studies.
#pragma once

#include <filesystem>
#include <istream>
#include <string>
#include <vector>

#include "oscbo/study.hpp"

namespace oscbo {

/// The observations of a table.
struct TableOfTrials {
  std::vector<Study::Observation> observations;
  std::size_t left_out = 0;  // rows of trials that are not complete
};

/// trials_from_csv reads a table. Its columns are every parameter and every outcome of the study,
/// `value` and, optionally, `variance`. Categories are given by name. An empty cell means that the
/// parameter is not active. If there is a column `state`, as `oscbo trials --format csv` prints it,
/// rows of trials that are not complete are left out. The other columns that `oscbo trials` prints
/// are ignored; any further column is refused. Throws Error (invalid_value) that names line and
/// column.
[[nodiscard]] TableOfTrials trials_from_csv(std::istream& stream, const std::string& name,
                                            const Space& space);

/// A study of another program: its declaration and its observations.
struct ForeignStudy {
  StudyDeclaration declaration;
  std::vector<Study::Observation> observations;
  std::size_t left_out = 0;  // trials without a value or without parameters
};

/// read_optuna reads a study from the SQLite database of Optuna. `name` may be empty if there is
/// only one study. If some complete trials lack a parameter P, then P gets a condition: read_optuna
/// looks for a categorical parameter whose value decides whether a trial has P. Throws Error: io;
/// unknown_name if the study does not exist; invalid_value if the study has several objectives, no
/// complete trial or an unknown kind of parameter, or if no condition is found.
[[nodiscard]] ForeignStudy read_optuna(const std::filesystem::path& file, const std::string& name);

}  // namespace oscbo
