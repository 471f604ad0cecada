// Reads the value of an evaluation from the output of its program.
//
// Numbers are decimal, with a point in every locale: "1.5", "+1.5", "-1e-3". Anything else is
// refused rather than guessed, because a misread value would mislead the whole study.
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
  std::vector<std::pair<std::string, double>> metrics = {};  // in the order of the output
};

/// check_pattern refuses a regular expression that does not compile, takes too much memory or has
/// no group. It throws Error (invalid_value) that names "program.pattern".
void check_pattern(const std::string& pattern);

/// Reads the value of an evaluation while its program prints. It keeps little of a long output: the
/// last line, and the last match of the pattern.
class ProgramOutputReader {
 public:
  /// Throws Error (invalid_value) if the value is to be found by a pattern that check_pattern
  /// refuses.
  explicit ProgramOutputReader(const ProgramRules& rules);
  ProgramOutputReader(const ProgramOutputReader&) = delete;
  ProgramOutputReader(ProgramOutputReader&&) = delete;
  ProgramOutputReader& operator=(const ProgramOutputReader&) = delete;
  ProgramOutputReader& operator=(ProgramOutputReader&&) = delete;
  ~ProgramOutputReader();

  /// add takes the next lines, which must be complete. Both "\n" and "\r" end a line. Lines of
  /// kLongestLine bytes (study/process.hpp) or more may have been cut, so no value is read from
  /// them.
  void add(std::string_view lines);

  /// value returns the value. If there is none, it throws Error (invalid_value) for the field
  /// "output"; its message shows what was printed instead.
  [[nodiscard]] ProgramValue value() const;

 private:
  ValueSource source_;
  std::unique_ptr<re2::RE2> pattern_;  // null unless the value is found by a pattern
  std::string last_line_;              // the last line that is not blank
  std::optional<std::string> found_;   // the last match of the pattern
};

/// read_intermediate reads a line like {"step": 3, "value": 0.5}. It returns nullopt for all other
/// lines.
[[nodiscard]] std::optional<IntermediateValue> read_intermediate(std::string_view line);

}  // namespace oscbo::study
