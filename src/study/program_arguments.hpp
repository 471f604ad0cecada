// How a program gets the values of the parameters: in its arguments, in environment variables or in
// a file.
//
// In an argument, {rate} stands for the value of the parameter `rate`, {trial} for the number of
// the trial, and {file} for the name of the file of values. {{ and }} stand for braces. No shell
// sees the arguments, so a value stays within its argument, whatever characters it contains.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "oscbo/space.hpp"
#include "oscbo/study_declaration.hpp"

namespace oscbo::study {

/// check_command refuses an empty command, unknown placeholders, and values that cannot be passed
/// to the program. It throws Error (invalid_value) that names the argument, as in
/// "program.command[2]", or the parameter.
void check_command(const ProgramRules& rules, const Space& space);

/// arguments_for returns the arguments for a point of the space. A parameter that is not active
/// gives an empty text. If a placeholder is unknown, arguments_for throws the error that
/// check_command throws.
[[nodiscard]] std::vector<std::string> arguments_for(const ProgramRules& rules, const Space& space,
                                                     std::span<const double> x, std::int64_t trial,
                                                     const std::string& file);

/// environment_for returns the variables OSCBO_PARAMETER_<name> of the active parameters. Inactive
/// parameters have no variable: run_process removes all inherited ones (kParameterVariable).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_for(
    const Space& space, std::span<const double> x);

}  // namespace oscbo::study
