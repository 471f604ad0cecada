// The library's view of a space. It converts a point from values to coordinates (axis.hpp), one per
// parameter, and from coordinates to the columns that a kernel sees.
//
// An inactive parameter has a fixed coordinate: 0 for a number, and one extra category for a
// categorical parameter. So every point has exactly one vector of coordinates, and inactive
// parameters have no influence.
//
// A number takes one column. A category takes one column, which holds its code. A fixed parameter
// takes none. A conditional number with coordinate u takes two columns, (cos u, sin u) if it is
// active and (0, 0) if not. Two active values are 2 sin(|u - u'| / 2) apart, which is nearly
// |u - u'|, and every active value has distance 1 from the inactive state.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numeric/quadratic_program.hpp"
#include "space/axis.hpp"
#include "space/point.hpp"

namespace oscbo::space {

/// A constraint on coordinates: sum of coefficient * coordinate <= limit, or = limit. The declared
/// constraint is on values.
struct CoordinateConstraint {
  struct Term {
    std::size_t parameter;
    double coefficient;
  };
  std::vector<Term> terms;
  double limit = 0.0;
  double sum = 0.0;  // right-hand side of the declared constraint
  std::string name;  // as declared
};

/// The columns of one parameter.
struct ParameterColumns {
  enum class Kind { none, number, category, arc };
  Kind kind = Kind::number;
  std::size_t first = 0;
  std::size_t codes = 0;  // of a category: its values and, if it may be inactive, one more
};

class Domain {
 public:
  /// Throws Error (invalid_value) naming the field of the declaration that is invalid.
  explicit Domain(SpaceDeclaration declaration);

  [[nodiscard]] const SpaceDeclaration& declaration() const { return declaration_; }
  [[nodiscard]] std::size_t size() const { return axes_.size(); }
  [[nodiscard]] const Axis& axis(std::size_t k) const { return axes_[k]; }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view parameter) const;

  /// order returns the parameters in an order in which each comes after its parent.
  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }

  /// is_box tells whether every parameter is continuous, unconditional and unconstrained.
  [[nodiscard]] bool is_box() const { return is_box_; }

  /// points returns the number of points, ignoring constraints. It returns nothing if a parameter
  /// is continuous.
  [[nodiscard]] std::optional<double> points() const;

  // --- points ------------------------------------------------------------------------------------

  /// check throws Error (invalid_value) if x is not a point of the space.
  void check(std::span<const double> x, const std::string& field) const;

  /// tidy returns the point x with exact levels, and with NaN for inactive parameters. Requires a
  /// point that `check` accepts.
  [[nodiscard]] std::vector<double> tidy(std::span<const double> x) const;

  /// check_recorded throws Error (invalid_value) if x cannot have been proposed. Real numbers may
  /// exceed their bounds by rounding. Constraints are not checked, because they were checked when
  /// the point was proposed.
  void check_recorded(std::span<const double> x, const std::string& field) const;

  [[nodiscard]] Coordinates to_coordinates(std::span<const double> x) const;

  /// from_coordinates returns values within their bounds. `given` holds one entry per parameter, or
  /// is empty. A given value replaces the one computed from the coordinate.
  [[nodiscard]] std::vector<double> from_coordinates(
      const Coordinates& u, std::span<const std::optional<double>> given = {}) const;

  [[nodiscard]] bool is_active(const Coordinates& u, std::size_t k) const;

  /// The parent of a conditional parameter, and the levels of the parent at which the child is
  /// active.
  struct Parent {
    std::size_t parameter = 0;
    std::vector<double> levels;
  };
  [[nodiscard]] const std::optional<Parent>& parent(std::size_t k) const { return parents_[k]; }

  /// settle sets the coordinates of inactive parameters to their fixed values.
  void settle(Coordinates& u) const;

  /// free_parameters returns the number of parameters that are not fixed, the size of Uniforms.
  [[nodiscard]] std::size_t free_parameters() const { return free_parameters_; }

  /// position_if_free returns the position of parameter k in Uniforms. Requires a parameter that is
  /// not fixed.
  [[nodiscard]] std::size_t position_if_free(std::size_t k) const { return positions_[k]; }

  // --- columns -----------------------------------------------------------------------------------

  [[nodiscard]] std::size_t column_count() const { return column_count_; }
  [[nodiscard]] const ParameterColumns& parameter_columns(std::size_t k) const {
    return columns_[k];
  }

  [[nodiscard]] Columns to_columns(const Coordinates& u) const;

  /// from_columns returns the coordinates of columns, clipped to [0, 1]. Requires a box, where
  /// coordinates and columns are the same numbers.
  [[nodiscard]] Coordinates from_columns(const Columns& columns) const;

  /// pull_back converts a gradient at u with respect to columns to one with respect to coordinates.
  /// The result is zero for parameters that are inactive or not continuous.
  void pull_back(const Coordinates& u, std::span<const double> in_columns,
                 std::span<double> in_coordinates) const;

  // --- constraints -------------------------------------------------------------------------------

  [[nodiscard]] bool is_constrained() const { return !constrained_.empty(); }

  /// constrained_parameters returns the parameters that occur in constraints, ascending.
  [[nodiscard]] const std::vector<std::size_t>& constrained_parameters() const {
    return constrained_;
  }

  /// constraints_on returns the constraints on the coordinates of `variables` if the other
  /// coordinates are as in u. The rows are in the order of the declaration.
  [[nodiscard]] numeric::LinearConstraints constraints_on(const std::vector<std::size_t>& variables,
                                                          const Coordinates& u) const;

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
  /// The sum that a constraint compares with its limit.
  struct Sum {
    double value = 0.0;
    double scale = 1.0;     // the largest of 1, |limit| and each |term|; in a mixture, |value|
                            // replaces the terms
    double rounding = 0.0;  // bound on the error of `value` that comes from rounded coordinates
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
  std::vector<std::size_t> order_;              // parents before their children
  std::vector<ParameterColumns> columns_;       // by parameter
  std::size_t column_count_ = 0;
  std::vector<std::size_t> positions_;  // by parameter, see position_if_free
  std::size_t free_parameters_ = 0;
  bool is_box_ = false;
  std::vector<CoordinateConstraint> inequalities_;
  std::vector<CoordinateConstraint> equalities_;
  std::vector<std::size_t> constrained_;
};

}  // namespace oscbo::space
