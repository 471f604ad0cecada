// Strictly convex quadratic programs of some dozens of variables and constraints, all dense:
//
//   minimise 1/2 x^T B x + g^T x   subject to   C x <= b,  E x = e,   B symmetric positive definite
//
// by the dual active-set method of Goldfarb and Idnani (1983). It starts at the minimum without
// constraints and takes them in one by one, so it needs no feasible point to start from, and where
// there is none it ends with the constraints that contradict each other:
//
//   const QuadraticMinimum minimum = minimise_quadratic(B, g, constraints, Vector::Ones(n));
//   if (minimum.outcome == QuadraticOutcome::solved) use(minimum.x);
#pragma once

#include <vector>

#include <Eigen/Dense>

#include "numeric/padded_matrix.hpp"

namespace oscbo::numeric {

/// {x : C x <= b, E x = e}. Constraint k is row k of C, and after these the rows of E. Rows may be
/// of any norm, redundant, dependent, given twice or zero; an entry of b may be infinite.
struct LinearConstraints {
  Eigen::MatrixXd C;
  Vector b;
  Eigen::MatrixXd E;
  Vector e;

  /// unlimited returns the whole space.
  [[nodiscard]] static LinearConstraints unlimited(Index dimension);

  [[nodiscard]] Index dimension() const { return C.cols(); }
  [[nodiscard]] Index size() const { return b.size() + e.size(); }
};

enum class QuadraticOutcome {
  solved,
  infeasible,  // no point satisfies the constraints of `conflict`
  failed,  // B is not positive definite, a number is not finite, or rounding kept it from ending
};

struct QuadraticMinimum {
  QuadraticOutcome outcome = QuadraticOutcome::failed;
  Vector x;

  /// B x + g + C^T m_C + E^T m_E = 0 for the multipliers m = (m_C, m_E), m_C >= 0; they are zero
  /// outside `active`, a set of independent constraints that hold with equality.
  Vector multipliers;
  std::vector<Index> active;  // ascending

  /// Irreducible: without any one of these the others have a common point. Ascending.
  std::vector<Index> conflict;
};

/// minimise_quadratic minimises 1/2 x^T B x + g^T x. Variable i is of the order of magnitude
/// size[i] > 0, by which rounding is told from violation. In units of
///
///   |b_k| + sum_i |a_ki| (size_i + |x_i|)
///
/// for constraint k with coefficients a_k, a solution violates none by more than 1e-13. Of this
/// there are two exceptions. Constraints that contradict each other by less than 1e-8 are forgiven:
/// the violation is then about what it must be. And constraints at an angle of less than 1e-8 (in
/// the norm of B^-1) are taken to be parallel, so that rounding is amplified by 1e8 at most.
[[nodiscard]] QuadraticMinimum minimise_quadratic(const Eigen::MatrixXd& B, const Vector& g,
                                                  const LinearConstraints& constraints,
                                                  const Vector& size);

}  // namespace oscbo::numeric
