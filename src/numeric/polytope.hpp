// The points of a box that satisfy linear constraints:
//
//   P = {x : lower <= x <= upper, C x <= b, E x = e}
//
//   const Polytope polytope(lower, upper, constraints);
//   if (const auto conflict = polytope.conflict()) refuse(*conflict);
//   const Vector nearest = *polytope.project(x);
//
// Errors are judged in units of what the terms of a row can amount to in the box,
//
//   |b_k| + sum_i |a_ki| max(|lower_i|, |upper_i|)
//
// so that neither the norms of rows nor the units of variables matter.
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Dense>

#include "numeric/padded_matrix.hpp"
#include "numeric/quadratic_program.hpp"

namespace oscbo::numeric {

/// Bounds (by variable) and rows that no point satisfies together.
struct PolytopeConflict {
  std::vector<Index> lower;
  std::vector<Index> upper;
  std::vector<Index> inequalities;
  std::vector<Index> equalities;
};

class Polytope {
 public:
  /// How far a point of the polytope may be outside, in the units above.
  static constexpr double kTolerance = 1e-12;

  /// Requires finite bounds and coefficients. Solves two small quadratic programs for each variable
  /// and one for each row of C; everything below is then at hand, or takes one at most.
  Polytope(Vector lower, Vector upper, const LinearConstraints& constraints);

  [[nodiscard]] Index dimension() const { return lower_.size(); }
  [[nodiscard]] const Vector& lower() const { return lower_; }
  [[nodiscard]] const Vector& upper() const { return upper_; }

  /// All rows: C has x <= upper, then -x <= -lower, then the inequalities that were given.
  [[nodiscard]] const LinearConstraints& rows() const { return rows_; }

  /// conflict returns nothing if there are points, otherwise bounds and rows of which none can be
  /// left out: without it the others have a common point. What is contradictory by less than 1e-8
  /// is no conflict.
  [[nodiscard]] const std::optional<PolytopeConflict>& conflict() const { return conflict_; }
  [[nodiscard]] bool is_empty() const { return conflict_.has_value(); }

  /// contains tells whether x violates nothing by more than `tolerance`.
  [[nodiscard]] bool contains(const Vector& x, double tolerance = kTolerance) const;

  /// project returns the point nearest to x, or nothing if the polytope is empty. Bounds hold
  /// exactly, rows to kTolerance, or to what a forgiven contradiction demands. For an x that is not
  /// finite it is the interior point.
  [[nodiscard]] std::optional<Vector> project(const Vector& x) const;

  /// settle corrects what rounding did to a point of the polytope, with the guarantee of `project`.
  void settle(Vector& x) const;

  /// best_step returns the d that minimises 1/2 d^T B d + g^T d among those with x + d in the
  /// polytope, for x in it, or nothing if B is not positive definite or a number is not finite.
  [[nodiscard]] std::optional<Vector> best_step(const Eigen::MatrixXd& B, const Vector& g,
                                                const Vector& x) const;

  /// interior_point returns a point well inside: of each inequality it keeps a distance that is at
  /// least 1 / (2 d + rows of C) of the largest that any point keeps. Inequalities of which no
  /// point is farther away than about 1e-8 are equalities in disguise. Requires !is_empty().
  [[nodiscard]] const Vector& interior_point() const { return interior_point_; }

  /// lowest and highest return how far the polytope extends along each variable, to 1e-5 or so of
  /// the box. Require !is_empty().
  [[nodiscard]] const Vector& lowest() const { return lowest_; }
  [[nodiscard]] const Vector& highest() const { return highest_; }

  /// The rows of rows().C that are not equalities in disguise, ascending.
  [[nodiscard]] const std::vector<Index>& true_inequalities() const { return true_inequalities_; }

  /// The columns of `directions` span the directions in which the polytope extends: none for a
  /// single point. They are orthonormal when variable i is measured in units of the polytope's
  /// extent along it.
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
