// The value of an evaluation, read from what the program printed.
//
// Numbers are decimal, with a point whatever the locale is: "1.5", "+1.5", "-1e-3". Everything that
// is not one is refused rather than guessed: a value that was misread would mislead the whole
// study.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oscbo/study.hpp"
#include "oscbo/study_declaration.hpp"

namespace oscbo::study {

struct ProgramValue {
  double value = 0.0;
  std::optional<double> variance = std::nullopt;
  std::vector<std::pair<std::string, double>> metrics = {};  // in the order in which they stand
};

/// check_pattern refuses a regular expression that does not compile, has no group, or would be too
/// large to search for: Error (invalid_value) naming "program.pattern". Counts in braces are small
/// and repeat no groups, and back-references are not accepted: so searching takes little stack and
/// no more time than the square of the length of a line.
void check_pattern(const std::string& pattern);

/// read_program_value throws Error (invalid_value) for "output", saying what was printed instead.
/// A pattern is looked for line by line, from the last line up; lines of more than 4096 bytes are
/// passed over. Both "\n" and "\r" end a line.
[[nodiscard]] ProgramValue read_program_value(const ProgramRules& rules, std::string_view output);

/// read_intermediate reads a line like {"step": 3, "value": 0.5}; none for all other lines.
[[nodiscard]] std::optional<IntermediateValue> read_intermediate(std::string_view line);

}  // namespace oscbo::study
