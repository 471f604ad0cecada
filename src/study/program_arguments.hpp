// What a program is started with: its arguments with the values of the parameters in them, or these
// values as environment variables or as a file.
//
// In an argument {rate} stands for the value of the parameter `rate`, {trial} for the number of the
// trial, {file} for the name of the file of values; {{ and }} stand for braces. No shell sees the
// arguments: a value stays within its argument, whatever characters it has.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "oscbo/space.hpp"
#include "oscbo/study_declaration.hpp"

namespace oscbo::study {

/// check_command refuses a command that is empty or whose placeholders stand for nothing, and
/// values that cannot reach the program: Error (invalid_value) naming "program.command[2]" or the
/// parameter.
void check_command(const ProgramRules& rules, const Space& space);

/// arguments_for returns the arguments for a point of the space. A parameter that is not active
/// gives an empty text. Throws as check_command for a placeholder that stands for nothing.
[[nodiscard]] std::vector<std::string> arguments_for(const ProgramRules& rules, const Space& space,
                                                     std::span<const double> x, std::int64_t trial,
                                                     const std::string& file);

/// environment_for returns the variables OSCBO_PARAMETER_<name> of the active parameters. The
/// others are not to be set, not even where whoever starts the program has inherited them.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_for(
    const Space& space, std::span<const double> x);

}  // namespace oscbo::study
