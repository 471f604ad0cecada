// The value of an evaluation, read from what the program printed.
//
// Numbers are decimal, with a point whatever the locale is: "1.5", "+1.5", "-1e-3". Everything that
// is not one is refused rather than guessed: a value that was misread would mislead the whole
// study.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oscbo/study.hpp"
#include "oscbo/study_declaration.hpp"

namespace re2 {
class RE2;
}

namespace oscbo::study {

struct ProgramValue {
  double value = 0.0;
  std::optional<double> variance = std::nullopt;
  std::vector<std::pair<std::string, double>> metrics = {};  // in the order in which they stand
};

/// check_pattern refuses a regular expression that does not compile, takes too much memory or has
/// no group: Error (invalid_value) naming "program.pattern".
void check_pattern(const std::string& pattern);

/// Reads the value of an evaluation while its program prints. What it needs of a long output is
/// little: the last line, and what a pattern found last.
class ProgramOutputReader {
 public:
  /// Throws as check_pattern does.
  explicit ProgramOutputReader(const ProgramRules& rules);
  ProgramOutputReader(const ProgramOutputReader&) = delete;
  ProgramOutputReader(ProgramOutputReader&&) = delete;
  ProgramOutputReader& operator=(const ProgramOutputReader&) = delete;
  ProgramOutputReader& operator=(ProgramOutputReader&&) = delete;
  ~ProgramOutputReader();

  /// add takes the next lines, whole ones. Both "\n" and "\r" end a line. Nothing is read from
  /// those of kLongestLine bytes (study/process.hpp) and more, which may have been cut.
  void add(std::string_view lines);

  /// value throws Error (invalid_value) for "output", saying what was printed instead.
  [[nodiscard]] ProgramValue value() const;

 private:
  ValueSource source_;
  std::unique_ptr<re2::RE2> pattern_;  // null unless it is the source
  std::string last_line_;              // that is not blank
  std::optional<std::string> found_;   // by the pattern, last
};

/// read_intermediate reads a line like {"step": 3, "value": 0.5}; none for all other lines.
[[nodiscard]] std::optional<IntermediateValue> read_intermediate(std::string_view line);

}  // namespace oscbo::study
