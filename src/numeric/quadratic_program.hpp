// Dense, strictly convex quadratic programs of a few dozen variables and constraints:
//
//   minimise 1/2 x^T B x + g^T x   subject to   C x <= b,  E x = e,   B symmetric positive definite
//
// solved by the dual active-set method of Goldfarb and Idnani (1983). It starts at the
// unconstrained minimum and adds constraints one by one, so it needs no feasible starting point. If
// no feasible point exists, it returns constraints that contradict each other.
//
//   const QuadraticMinimum minimum = minimise_quadratic(B, g, constraints, Vector::Ones(n));
//   if (minimum.outcome == QuadraticOutcome::solved) use(minimum.x);
#pragma once

#include <vector>

#include <Eigen/Dense>

#include "numeric/padded_matrix.hpp"

namespace oscbo::numeric {

/// The set {x : C x <= b, E x = e}. The constraints are numbered: first the rows of C, then the
/// rows of E. Rows may have any norm, and may be redundant, dependent, repeated or zero. An entry
/// of b may be infinite.
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
  failed,  // B is not positive definite, a number is not finite, or rounding prevented termination
};

struct QuadraticMinimum {
  QuadraticOutcome outcome = QuadraticOutcome::failed;
  Vector x;

  /// The multipliers m = (m_C, m_E) satisfy B x + g + C^T m_C + E^T m_E = 0 and m_C >= 0. They are
  /// zero outside `active`, a set of independent constraints that hold with equality.
  Vector multipliers;
  std::vector<Index> active;  // ascending

  /// Constraints that contradict each other, ascending. The set is irreducible: if any one of them
  /// is left out, the others have a common point.
  std::vector<Index> conflict;
};

/// minimise_quadratic minimises 1/2 x^T B x + g^T x. size[i] > 0 is the order of magnitude of
/// variable i, which distinguishes rounding errors from violations. A solution violates constraint
/// k, with coefficients a_k, by at most 1e-13 in units of
///
///   |b_k| + sum_i |a_ki| (size_i + |x_i|).
///
/// There are two exceptions. Constraints that contradict each other by less than 1e-8 are forgiven;
/// the violation is then about as small as the contradiction allows. Constraints at an angle of
/// less than 1e-8 (in the norm of B^-1) count as parallel, so that rounding errors grow by at most
/// 1e8.
[[nodiscard]] QuadraticMinimum minimise_quadratic(const Eigen::MatrixXd& B, const Vector& g,
                                                  const LinearConstraints& constraints,
                                                  const Vector& size);

}  // namespace oscbo::numeric
