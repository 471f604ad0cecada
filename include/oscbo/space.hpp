// File: oscbo/space.hpp
//
// What may be varied, and what must be kept to. A space is declared as data, the same in C++, JSON
// and TOML:
//
//   const oscbo::Space space({.parameters = {
//       {.name = "temperature", .lower = 20.0, .upper = 120.0},
//       {.name = "rate", .lower = 1e-5, .upper = 1e-1, .log = true},
//       {.name = "stages", .kind = oscbo::ParameterKind::integer, .lower = 1.0, .upper = 8.0},
//       {.name = "solvent", .kind = oscbo::ParameterKind::categorical,
//        .values = {"water", "ethanol"}},
//       {.name = "reflux", .when = oscbo::Condition{"solvent", {"ethanol"}}}}});
//
// A point is a vector with one number per parameter: the value itself, or the position among its
// `values` for a parameter that has names for values; false is 0 and true is 1. Where a parameter
// is not active its entry is NaN. `Space::text` shows a value as the user knows it.
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

/// to_string returns the kind as it is declared: "float", "int", "ordinal", "categorical", "bool",
/// "fixed".
[[nodiscard]] std::string_view to_string(ParameterKind kind) noexcept;

/// A parameter with a condition is active only where another one is, and has one of these values.
struct Condition {
  std::string parameter;
  std::vector<std::string> values;  // as `Space::text` shows them
};

struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::real;
  double lower = 0.0;                    // real, integer
  double upper = 1.0;                    // likewise
  double step = 0.0;                     // likewise; 0: any real number, every integer
  bool log = false;                      // likewise: even on the logarithmic scale
  std::vector<double> levels = {};       // ordinal: increasing; fixed: the one
  std::vector<std::string> values = {};  // categorical; or instead of levels
  std::optional<Condition> when = std::nullopt;
};

/// The values of these parameters, which are real and on a linear scale, sum to a constant.
struct Mixture {
  std::vector<std::string> parameters;
  double sum = 1.0;
};

/// sum of coefficient * parameter <= limit. The parameters are real or integer, on a linear scale.
struct LinearConstraint {
  struct Term {
    std::string parameter;
    double coefficient = 1.0;
  };
  std::vector<Term> terms;
  double limit = 0.0;
};

/// parse_constraint reads "2 a + b <= 3", "a >= b" and the like. Throws Error (invalid_value).
[[nodiscard]] LinearConstraint parse_constraint(std::string_view text);

/// to_string returns a text that parse_constraint reads.
[[nodiscard]] std::string to_string(const LinearConstraint& constraint);

/// A further quantity that is measured at each point, and the values that are acceptable.
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

/// A declaration that has been found to make sense. Immutable, and cheap to copy.
class Space {
 public:
  /// Throws Error (invalid_value) naming what contradicts itself or leaves no point at all.
  explicit Space(SpaceDeclaration declaration);

  /// of_box returns the space of real parameters x1, x2, ... within these bounds.
  [[nodiscard]] static Space of_box(std::span<const Bounds> bounds);

  /// from_json reads {"parameters": {"rate": {"type": "float", "lower": 1e-5, ...}, ...},
  /// "mixtures": [...], "constraints": ["2 a + b <= 3"], "outcomes": {...}}; docs/spaces.md has all
  /// fields. Throws Error (invalid_value) naming the field.
  [[nodiscard]] static Space from_json(std::string_view text);

  /// to_json returns a text that from_json reads.
  [[nodiscard]] std::string to_json() const;

  [[nodiscard]] const SpaceDeclaration& declaration() const;
  [[nodiscard]] std::size_t dimension() const;

  /// is_box returns whether every parameter takes any real number within its bounds, whatever the
  /// others are.
  [[nodiscard]] bool is_box() const;

  /// bounds returns the smallest and the largest number that stands for a value of each parameter;
  /// of one with names for values, 0 and their number less one.
  [[nodiscard]] std::vector<Bounds> bounds() const;

  /// index returns the position of a parameter. Throws Error (unknown_name).
  [[nodiscard]] std::size_t index(std::string_view parameter) const;

  /// check refuses a point that is not of the space: Error (invalid_value) naming `field` and the
  /// parameter.
  void check(std::span<const double> x, const std::string& field = "x") const;

  /// is_active returns whether parameter k counts at x.
  [[nodiscard]] bool is_active(std::span<const double> x, std::size_t k) const;

  /// text returns a value of parameter k as the user knows it, and value the number behind a text.
  [[nodiscard]] std::string text(std::size_t k, double value) const;
  [[nodiscard]] double value(std::size_t k, std::string_view text) const;

  /// describe returns "temperature=80 solvent=water", active parameters only.
  [[nodiscard]] std::string describe(std::span<const double> x) const;

  /// points returns how many points the space has, constraints apart; none where it has a parameter
  /// that may take any real number.
  [[nodiscard]] std::optional<double> points() const;

  /// For the rest of the library.
  [[nodiscard]] const space::Domain& domain() const { return *domain_; }

 private:
  std::shared_ptr<const space::Domain> domain_;
};

}  // namespace oscbo
