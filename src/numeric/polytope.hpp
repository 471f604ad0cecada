// The points of a box that satisfy linear constraints:
//
//   P = {x : lower <= x <= upper, C x <= b, E x = e}
//
//   const Polytope polytope(lower, upper, constraints);
//   if (const auto conflict = polytope.conflict()) refuse(*conflict);
//   const Vector nearest = *polytope.project(x);
//
// The error in row k, with coefficients a_ki and right-hand side b_k, is measured relative to the
// largest value that its terms can reach in the box,
//
//   |b_k| + sum_i |a_ki| max(|lower_i|, |upper_i|),
//
// so neither the norms of rows nor the units of variables matter.
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Dense>

#include "numeric/padded_matrix.hpp"
#include "numeric/quadratic_program.hpp"

namespace oscbo::numeric {

/// Bounds (by index of the variable) and rows that no point satisfies together.
struct PolytopeConflict {
  std::vector<Index> lower;
  std::vector<Index> upper;
  std::vector<Index> inequalities;
  std::vector<Index> equalities;
};

class Polytope {
 public:
  /// The largest violation of a constraint by a point of the polytope, in the units above.
  static constexpr double kTolerance = 1e-12;

  /// Requires finite bounds and coefficients. The constructor solves two small quadratic programs
  /// per variable and one per row of C. Each function below then solves at most one more.
  Polytope(Vector lower, Vector upper, const LinearConstraints& constraints);

  [[nodiscard]] Index dimension() const { return lower_.size(); }
  [[nodiscard]] const Vector& lower() const { return lower_; }
  [[nodiscard]] const Vector& upper() const { return upper_; }

  /// rows returns all constraints. C holds x <= upper, then -x <= -lower, then the given
  /// inequalities.
  [[nodiscard]] const LinearConstraints& rows() const { return rows_; }

  /// conflict returns nothing if the polytope has a point. Otherwise it returns bounds and rows
  /// that contradict each other. If any one of them is left out, the others have a common point. A
  /// contradiction of less than 1e-8 is no conflict.
  [[nodiscard]] const std::optional<PolytopeConflict>& conflict() const { return conflict_; }
  [[nodiscard]] bool is_empty() const { return conflict_.has_value(); }

  /// contains tells whether x violates no constraint by more than `tolerance`.
  [[nodiscard]] bool contains(const Vector& x, double tolerance = kTolerance) const;

  /// project returns the point nearest to x, or nothing if the polytope is empty. The result
  /// satisfies the bounds exactly and the rows to kTolerance. If rows contradict each other by less
  /// than 1e-8, it violates them by about as little as the contradiction allows. If x is not
  /// finite, project returns the interior point.
  [[nodiscard]] std::optional<Vector> project(const Vector& x) const;

  /// settle removes rounding errors from a point of the polytope, with the guarantee of `project`.
  void settle(Vector& x) const;

  /// best_step returns the d that minimises 1/2 d^T B d + g^T d subject to x + d being in the
  /// polytope. Returns nothing if B is not positive definite or a number is not finite. Requires x
  /// in the polytope.
  [[nodiscard]] std::optional<Vector> best_step(const Eigen::MatrixXd& B, const Vector& g,
                                                const Vector& x) const;

  /// interior_point returns a point well inside. Its distance from each inequality is at least 1 /
  /// (2 d + m) of the largest distance that a point of the polytope has from this inequality, where
  /// d is the dimension and m the number of given inequalities. An inequality is an implicit
  /// equality if no point is farther than about 1e-8 from it. Requires !is_empty().
  [[nodiscard]] const Vector& interior_point() const { return interior_point_; }

  /// lowest and highest return the extent of the polytope along each variable, to about 1e-5 of the
  /// width of the box. Require !is_empty().
  [[nodiscard]] const Vector& lowest() const { return lowest_; }
  [[nodiscard]] const Vector& highest() const { return highest_; }

  /// true_inequalities returns the rows of rows().C that are not implicit equalities, ascending.
  [[nodiscard]] const std::vector<Index>& true_inequalities() const { return true_inequalities_; }

  /// directions returns a matrix whose columns are a basis of the directions in which the polytope
  /// extends. It has no column if the polytope is a single point. The basis is orthonormal after
  /// each variable is divided by the polytope's extent along it.
  [[nodiscard]] const Eigen::MatrixXd& directions() const { return directions_; }

 private:
  [[nodiscard]] QuadraticMinimum nearest(const Vector& x) const;
  [[nodiscard]] PolytopeConflict sorted_by_kind(const std::vector<Index>& rows) const;
  void explore(const Vector& start);
  void find_directions();
  [[nodiscard]] Vector clamped(const Vector& x) const;

  Vector lower_;
  Vector upper_;
  LinearConstraints rows_;
  Vector size_;    // max(|lower|, |upper|)
  Vector scales_;  // the units of errors
  std::optional<PolytopeConflict> conflict_;
  Vector interior_point_;
  Vector lowest_;
  Vector highest_;
  std::vector<Index> true_inequalities_;
  Eigen::MatrixXd directions_;
};

}  // namespace oscbo::numeric
