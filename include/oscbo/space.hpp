// File: oscbo/space.hpp
//
// Parameters, their ranges, and constraints on them. A space is declared as data, in the same way
// in C++, JSON and TOML:
//
//   const oscbo::Space space({.parameters = {
//       {.name = "temperature", .lower = 20.0, .upper = 120.0},
//       {.name = "rate", .lower = 1e-5, .upper = 1e-1, .log = true},
//       {.name = "stages", .kind = oscbo::ParameterKind::integer, .lower = 1.0, .upper = 8.0},
//       {.name = "solvent", .kind = oscbo::ParameterKind::categorical,
//        .values = {"water", "ethanol"}},
//       {.name = "reflux", .when = oscbo::Condition{"solvent", {"ethanol"}}}}});
//
// A point is a vector with one number per parameter. The number is the value itself or, for a
// parameter with named values, the position in `values`; false is 0 and true is 1. The entry of an
// inactive parameter is NaN. `Space::text` converts a number to the text that the user knows.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oscbo {

namespace space {
class Domain;
}

struct Bounds {
  double lower = 0.0;
  double upper = 1.0;
};

enum class ParameterKind { real, integer, ordinal, categorical, boolean, fixed };

/// to_string returns the name of the kind in declarations: "float", "int", "ordinal",
/// "categorical", "bool" or "fixed".
[[nodiscard]] std::string_view to_string(ParameterKind kind) noexcept;

/// A parameter with a condition is active only if the parameter that the condition names is active
/// and has one of `values`.
struct Condition {
  std::string parameter;
  std::vector<std::string> values;  // as `Space::text` shows them
};

struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::real;

  // Real and integer parameters.
  double lower = 0.0;
  double upper = 1.0;
  double step = 0.0;  // 0: any real number, or every integer
  bool log = false;   // logarithmic scale

  // Ordinal and fixed parameters have levels or named values. Categorical ones have named values.
  std::vector<double> levels = {};  // increasing
  std::vector<std::string> values = {};

  std::optional<Condition> when = std::nullopt;
};

/// The values of these parameters sum to a constant. The parameters are real and on a linear scale.
struct Mixture {
  std::vector<std::string> parameters;
  double sum = 1.0;
};

/// The sum of coefficient * parameter over the terms is at most `limit`. The parameters are real or
/// integer, on a linear scale, and always active.
struct LinearConstraint {
  struct Term {
    std::string parameter;
    double coefficient = 1.0;
  };
  std::vector<Term> terms;
  double limit = 0.0;
};

/// parse_constraint parses strings such as "2 a + b <= 3" and "a >= b". Throws Error
/// (invalid_value).
[[nodiscard]] LinearConstraint parse_constraint(std::string_view text);

/// to_string returns a string that parse_constraint accepts.
[[nodiscard]] std::string to_string(const LinearConstraint& constraint);

/// A further quantity that is measured at each point, and its limits.
struct Outcome {
  std::string name;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool accepts(double value) const { return value >= lower && value <= upper; }
};

struct SpaceDeclaration {
  std::vector<Parameter> parameters;
  std::vector<Mixture> mixtures = {};
  std::vector<LinearConstraint> constraints = {};
  std::vector<Outcome> outcomes = {};
};

/// A valid declaration. Immutable, and cheap to copy.
class Space {
 public:
  /// Throws Error (invalid_value) if the declaration contradicts itself or leaves no point. The
  /// error names the field.
  explicit Space(SpaceDeclaration declaration);

  /// of_box returns a space of real parameters x1, x2, ... with these bounds.
  [[nodiscard]] static Space of_box(std::span<const Bounds> bounds);

  /// from_json reads {"parameters": {"rate": {"type": "float", "lower": 1e-5, ...}, ...},
  /// "mixtures": [...], "constraints": ["2 a + b <= 3"], "outcomes": {...}}. docs/spaces.md lists
  /// all fields. Throws Error (invalid_value) naming the field.
  [[nodiscard]] static Space from_json(std::string_view text);

  /// to_json returns a string that from_json accepts.
  [[nodiscard]] std::string to_json() const;

  [[nodiscard]] const SpaceDeclaration& declaration() const;
  [[nodiscard]] std::size_t dimension() const;

  /// is_box tells whether every parameter can take any real number within its bounds, independently
  /// of the others.
  [[nodiscard]] bool is_box() const;

  /// bounds returns the smallest and the largest number that each parameter can have. For a
  /// parameter with n named values these are 0 and n - 1.
  [[nodiscard]] std::vector<Bounds> bounds() const;

  /// index returns the position of a parameter. Throws Error (unknown_name).
  [[nodiscard]] std::size_t index(std::string_view parameter) const;

  /// check throws Error (invalid_value) if x is not a point of the space. The error names `field`
  /// and the parameter.
  void check(std::span<const double> x, const std::string& field = "x") const;

  /// is_active tells whether parameter k is active at x.
  [[nodiscard]] bool is_active(std::span<const double> x, std::size_t k) const;

  /// text returns a value of parameter k as the user knows it. value returns the number for such a
  /// text.
  [[nodiscard]] std::string text(std::size_t k, double value) const;
  [[nodiscard]] double value(std::size_t k, std::string_view text) const;

  /// describe returns a string like "temperature=80 solvent=water", with active parameters only.
  [[nodiscard]] std::string describe(std::span<const double> x) const;

  /// points returns the number of points of the space, ignoring constraints. It returns nothing if
  /// a parameter is continuous.
  [[nodiscard]] std::optional<double> points() const;

  /// domain is for internal use by the library.
  [[nodiscard]] const space::Domain& domain() const { return *domain_; }

 private:
  std::shared_ptr<const space::Domain> domain_;
};

}  // namespace oscbo
