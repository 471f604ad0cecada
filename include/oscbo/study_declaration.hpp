// File: oscbo/study_declaration.hpp
//
// The declaration of a study: parameters, method, budget, the program that evaluates a point, and
// when to stop. It is written as a TOML file, which docs/studies.md describes:
//
//   name = "reactor"
//   goal = "maximize"
//   budget = 60
//
//   [parameters.temperature]
//   type = "float"
//   lower = 20
//   upper = 120
//
//   [program]
//   command = ["./reactor", "--temperature", "{temperature}"]
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oscbo/config.hpp"
#include "oscbo/objective.hpp"
#include "oscbo/prediction.hpp"
#include "oscbo/space.hpp"

namespace oscbo {

/// Where to find the value of an evaluation in the program's output.
enum class ValueSource {
  last_line,  // the last line that is not empty is a number
  pattern,    // the first group of the last match of a regular expression
  json,       // the last line that is not empty is {"value": 1.5, "variance": 0.1,
              // "metrics": {...}}; the metrics include every outcome of the space
};

/// How a program gets the values of the parameters.
enum class ValuesBy {
  arguments,    // {name} in an argument stands for the value
  environment,  // variables OSCBO_PARAMETER_<name>
  file,         // {file} in an argument stands for the name of a JSON file
};

/// The program that evaluates a point: an argument vector, no shell.
struct ProgramRules {
  std::vector<std::string> command = {};
  ValuesBy values_by = ValuesBy::arguments;
  ValueSource value_from = ValueSource::last_line;
  std::string pattern = {};                             // a regular expression (RE2)
  std::optional<double> seconds = std::nullopt;         // time limit of one evaluation
  std::optional<std::size_t> megabytes = std::nullopt;  // limit of its address space
  int retries = 0;                                      // further attempts after a failed one
};

/// The rules that end a study before its budget is used up. The study ends when one of them holds.
struct StopRules {
  std::optional<double> seconds = std::nullopt;           // wall time of one `run`
  std::optional<double> target = std::nullopt;            // a value at least as good as this
  std::optional<int> without_improvement = std::nullopt;  // evaluations since the best value
  std::optional<double> expected_gain =
      std::nullopt;  // each of the last five suggestions promised a gain below this
};

/// Which evaluations are given up early because of the intermediate values that they report.
enum class PruningKind {
  none,
  median,   // those whose best value so far is worse than the median of the values that other
            // trials reported at the same step
  halving,  // at the steps first_step * factor^k: those that are not among the best 1 / factor of
            // the trials that have reached the step
};

struct PruningRules {
  PruningKind kind = PruningKind::none;
  int first_step = 1;    // nothing is given up before this step
  int least_trials = 5;  // nothing is given up if fewer other trials can be compared
  double factor = 3.0;   // the factor in the rule PruningKind::halving
};

struct StudyDeclaration {
  std::string name = {};
  Goal goal = Goal::maximize;
  int budget = 100;  // evaluations in total, including the initial design
  std::uint64_t seed = 0;
  std::string method = "auto";
  std::vector<std::string> options = {};  // "kernel.nu=1.5"; see `oscbo options`
  SpaceDeclaration space = {};
  ProgramRules program = {};
  StopRules stop = {};
  PruningRules pruning = {};

  /// objectives returns a list with the objective that the goal declares.
  [[nodiscard]] std::vector<Objective> objectives() const;

  /// quantities returns how many objectives and outcomes there are.
  [[nodiscard]] Quantities quantities() const;
};

/// to_string returns the word that a study file uses: "last_line", "median", ...
[[nodiscard]] std::string_view to_string(ValueSource source) noexcept;
[[nodiscard]] std::string_view to_string(ValuesBy way) noexcept;
[[nodiscard]] std::string_view to_string(PruningKind kind) noexcept;

/// study_from_toml reads the text of a study file. `file` is its name in error messages. If the
/// text does not name the study, its name is the part of `file` before the last dot. Throws Error
/// (invalid_value, unknown_name) whose field is "FILE:LINE: FIELD", or "FILE:LINE" if the text is
/// not TOML.
[[nodiscard]] StudyDeclaration study_from_toml(std::string_view text, const std::string& file);

/// study_from_json reads the output of to_json. Throws Error (invalid_value, unknown_name) that
/// names the field. to_json throws if a string is not UTF-8; `check` refuses such strings.
[[nodiscard]] StudyDeclaration study_from_json(std::string_view text);
[[nodiscard]] std::string to_json(const StudyDeclaration& declaration);

/// check throws Error (invalid_value, unknown_name) that names the field if a declaration makes no
/// sense.
void check(const StudyDeclaration& declaration);

/// check_program throws Error (invalid_value, unknown_name) that names the field if the rules
/// cannot evaluate points of `space`.
void check_program(const ProgramRules& rules, const Space& space);

/// config_of returns the configuration of the declared method and options. Throws like `check`.
[[nodiscard]] Config config_of(const StudyDeclaration& declaration);

/// loaded_config_of returns what config_of returns. If the method is `tabicl`, it also loads the
/// network weights, which are in a file (oscbo/weights.hpp). Throws like `check` and load_weights.
[[nodiscard]] Config loaded_config_of(const StudyDeclaration& declaration);

/// with_weights adds the path and the checksum of the file of weights to the options of a
/// declaration, so that the study accepts no other weights. If the method is not `tabicl`, the
/// declaration is returned unchanged. Throws like loaded_config_of.
[[nodiscard]] StudyDeclaration with_weights(StudyDeclaration declaration);

/// study_template returns a commented study file to start from.
[[nodiscard]] std::string_view study_template() noexcept;

}  // namespace oscbo
