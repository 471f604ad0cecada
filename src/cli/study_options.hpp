// Options shared by the commands about studies: how to name and show a study, a point and a trial.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

#include "oscbo/study.hpp"
#include "table.hpp"

namespace oscbo::cli {

struct StudyArguments {
  std::string storage;
  std::string study;
};

/// add_storage declares --storage, with the environment variable OSCBO_STORAGE as its default.
void add_storage(CLI::App& command, std::string& file);

/// add_study declares --storage and the name of the study.
void add_study(CLI::App& command, StudyArguments& arguments);

/// add_trial declares the number of a trial.
void add_trial(CLI::App& command, TrialNumber& number);

/// parse_decimal parses a number by the rules that apply to values printed by an evaluated program.
/// Returns nothing for text such as "1,5" or "0x10".
[[nodiscard]] std::optional<double> parse_decimal(std::string_view text);

/// decimal_number refuses text that parse_decimal does not accept.
[[nodiscard]] CLI::Validator decimal_number();

/// above_zero refuses numbers that are not positive.
[[nodiscard]] CLI::Validator above_zero();

/// decimal_digits refuses text that CLI11 would read as octal or hexadecimal, such as "010".
[[nodiscard]] CLI::Validator decimal_digits();

[[nodiscard]] Study open_study(const StudyArguments& arguments);

/// parse_point returns the point described by assignments "name=value". Throws Error naming a
/// parameter that is missing, unknown or not accepted. Inactive parameters need no value.
[[nodiscard]] std::vector<double> parse_point(const Space& space,
                                              std::span<const std::string> assignments);

/// parse_given returns the values fixed by assignments "name=value".
[[nodiscard]] std::vector<Given> parse_given(const Space& space,
                                             std::span<const std::string> assignments);

/// parameter_names returns the column titles of a table of points. parameter_cells returns the
/// cells of the point x: numbers, booleans or names of values. The cell of an inactive parameter is
/// empty.
[[nodiscard]] std::vector<std::string> parameter_names(const Space& space);
[[nodiscard]] std::vector<Cell> parameter_cells(const Space& space, std::span<const double> x);

/// optional_cell returns an empty cell if there is no number.
[[nodiscard]] Cell optional_cell(const std::optional<double>& number);

}  // namespace oscbo::cli
