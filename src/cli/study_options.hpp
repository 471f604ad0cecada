// What the commands about studies share: how a study, a point and a trial are named and shown.
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

/// add_storage declares --storage; the environment variable OSCBO_STORAGE stands in for it.
void add_storage(CLI::App& command, std::string& file);

/// add_study declares --storage and the name of the study.
void add_study(CLI::App& command, StudyArguments& arguments);

/// add_trial declares the number of a trial.
void add_trial(CLI::App& command, TrialNumber& number);

/// parse_decimal returns the number that a text is, by the rules for what programs print: none for
/// "1,5" and "0x10".
[[nodiscard]] std::optional<double> parse_decimal(std::string_view text);

/// decimal_number refuses what parse_decimal does not take for a number.
[[nodiscard]] CLI::Validator decimal_number();

/// above_zero refuses numbers that are not positive.
[[nodiscard]] CLI::Validator above_zero();

/// decimal_digits refuses what the parser would take for octal or hexadecimal numbers: "010".
[[nodiscard]] CLI::Validator decimal_digits();

[[nodiscard]] Study open_study(const StudyArguments& arguments);

/// parse_point returns the point that assignments "name=value" describe. Throws Error naming what
/// is missing, unknown or not accepted; parameters that are not active need no value.
[[nodiscard]] std::vector<double> parse_point(const Space& space,
                                              std::span<const std::string> assignments);

/// parse_given returns the values that assignments "name=value" fix.
[[nodiscard]] std::vector<Given> parse_given(const Space& space,
                                             std::span<const std::string> assignments);

/// parameter_names and parameter_cells are the columns of a point: numbers, and names of values;
/// nothing where a parameter is not active.
[[nodiscard]] std::vector<std::string> parameter_names(const Space& space);
[[nodiscard]] std::vector<Cell> parameter_cells(const Space& space, std::span<const double> x);

/// optional_cell is empty where there is no number.
[[nodiscard]] Cell optional_cell(const std::optional<double>& number);

}  // namespace oscbo::cli
