// A space as the library works with it: its points as coordinates (axis.hpp), one per parameter,
// and these as the columns that a kernel sees.
//
// Where a parameter is not active its coordinate is settled: 0 for a number, one further category
// for a categorical one. So a point has one vector of coordinates, and what is not active cannot
// matter.
//
// A number takes one column, a category one with its code, a fixed parameter none. A number that is
// not always active takes two, (cos u, sin u), both 0 where it is not: active values are
// 2 sin(|u - u'| / 2) apart, nearly |u - u'|, and each of them has distance 1 from none at all.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numeric/quadratic_program.hpp"
#include "space/axis.hpp"

namespace oscbo::space {

using Coordinates = std::vector<double>;

/// sum of coefficient * coordinate <= limit, or = limit.
struct CoordinateConstraint {
  struct Term {
    std::size_t parameter;
    double coefficient;
  };
  std::vector<Term> terms;
  double limit = 0.0;
  double sum = 0.0;  // the limit of the values
  std::string name;  // as declared
};

/// Which columns a parameter takes.
struct Columns {
  enum class Kind { none, number, category, arc };
  Kind kind = Kind::number;
  std::size_t first = 0;
};

class Domain {
 public:
  /// Throws Error (invalid_value) naming what does not make sense.
  explicit Domain(SpaceDeclaration declaration);

  [[nodiscard]] const SpaceDeclaration& declaration() const { return declaration_; }
  [[nodiscard]] std::size_t size() const { return axes_.size(); }
  [[nodiscard]] const Axis& axis(std::size_t k) const { return axes_[k]; }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view parameter) const;

  /// order returns the parameters, each after those that its being active depends on.
  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }

  /// is_box returns whether every parameter takes any real number, whatever the others are.
  [[nodiscard]] bool is_box() const { return is_box_; }

  /// points returns their number, constraints apart; none where there is a continuous parameter.
  [[nodiscard]] std::optional<double> points() const;

  // --- points ------------------------------------------------------------------------------------

  /// check refuses a point that is not of the space: Error (invalid_value).
  void check(std::span<const double> x, const std::string& field) const;

  /// tidy returns a point that `check` accepts with levels exact, and NaN where not active.
  [[nodiscard]] std::vector<double> tidy(std::span<const double> x) const;

  /// check_recorded refuses what cannot have been proposed. Bounds of real numbers may be missed by
  /// rounding, and what constraints allow was for whoever proposed it to say.
  void check_recorded(std::span<const double> x, const std::string& field) const;

  [[nodiscard]] Coordinates to_coordinates(std::span<const double> x) const;

  /// from_coordinates returns values within their bounds. Those of parameters that are given, by
  /// parameter, are taken as they are.
  [[nodiscard]] std::vector<double> from_coordinates(
      std::span<const double> u, std::span<const std::optional<double>> given = {}) const;

  [[nodiscard]] bool is_active(std::span<const double> u, std::size_t k) const;

  /// The levels of another parameter with which one is active.
  struct Parent {
    std::size_t parameter = 0;
    std::vector<double> levels;
  };
  [[nodiscard]] const std::optional<Parent>& parent(std::size_t k) const { return parents_[k]; }

  /// settle puts the coordinates of parameters that are not active to their one value.
  void settle(std::span<double> u) const;

  /// from_uniforms returns the point that a point of the unit cube, with one entry for each
  /// parameter that is not fixed, stands for.
  [[nodiscard]] Coordinates from_uniforms(std::span<const double> uniforms) const;
  [[nodiscard]] std::size_t free_parameters() const { return free_parameters_; }

  /// position_if_free returns which of these entries parameter k has.
  [[nodiscard]] std::size_t position_if_free(std::size_t k) const { return positions_[k]; }

  // --- columns -----------------------------------------------------------------------------------

  [[nodiscard]] std::size_t column_count() const { return column_count_; }
  [[nodiscard]] const Columns& columns(std::size_t k) const { return columns_[k]; }

  void write_columns(std::span<const double> u, std::span<double> columns) const;

  /// pull_back turns a gradient in the columns into one in the coordinates; zero where a coordinate
  /// is not continuous, or not active.
  void pull_back(std::span<const double> u, std::span<const double> in_columns,
                 std::span<double> in_coordinates) const;

  // --- constraints -------------------------------------------------------------------------------

  [[nodiscard]] bool is_constrained() const { return !constrained_.empty(); }

  /// constrained_parameters returns those that constraints name, ascending.
  [[nodiscard]] const std::vector<std::size_t>& constrained_parameters() const {
    return constrained_;
  }

  /// constraints_on returns what the constraints say about these coordinates when the others are
  /// those of u. Their rows are in the order of the declaration.
  [[nodiscard]] numeric::LinearConstraints constraints_on(const std::vector<std::size_t>& variables,
                                                          std::span<const double> u) const;

 private:
  void read_conditions();
  [[nodiscard]] Parent parent_of(std::size_t k) const;
  void order_by_condition();
  void assign_columns();
  void read_constraints();
  void add_mixture(const Mixture& mixture, const std::string& field);
  void add_constraint(const LinearConstraint& linear, const std::string& field);
  [[nodiscard]] std::size_t constrained_parameter(const std::string& name, bool accepts_levels,
                                                  const std::string& field) const;
  void check_outcomes() const;
  void refuse_conflicts() const;
  void refuse_small_conflicts(const numeric::Vector& point) const;
  void close_sums(std::vector<double>& x, std::span<const std::optional<double>> given) const;
  /// What is compared with a limit, the largest of the numbers that it is made of, or 1, and what
  /// coordinates cannot resolve of these numbers.
  struct Sum {
    double value = 0.0;
    double scale = 1.0;
    double rounding = 0.0;
  };
  [[nodiscard]] Sum sum_of(const Mixture& mixture, std::span<const double> x) const;
  [[nodiscard]] Sum sum_of(const LinearConstraint& constraint, std::span<const double> x) const;
  void add_to(Sum& sum, double coefficient, std::size_t k, std::span<const double> x) const;
  void check_values(std::span<const double> x, const std::string& field,
                    bool (*accepts)(const Axis& axis, double value)) const;
  void check_constraints(std::span<const double> x, const std::string& field) const;
  [[nodiscard]] double points_below(std::size_t k) const;
  [[nodiscard]] std::string field_of(std::size_t k) const;

  SpaceDeclaration declaration_;
  std::vector<Axis> axes_;
  std::vector<std::optional<Parent>> parents_;  // by parameter
  std::vector<std::size_t> order_;              // parents before those that depend on them
  std::vector<Columns> columns_;                // by parameter
  std::size_t column_count_ = 0;
  std::vector<std::size_t> positions_;  // by parameter, see position_if_free
  std::size_t free_parameters_ = 0;
  bool is_box_ = false;
  std::vector<CoordinateConstraint> inequalities_;
  std::vector<CoordinateConstraint> equalities_;
  std::vector<std::size_t> constrained_;
};

}  // namespace oscbo::space
