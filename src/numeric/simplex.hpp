// Uniform points of simplices as functions of uniform numbers, so that a Sobol sequence can drive
// them.
//
//   if (const auto simplices = SimplexProduct::of(polytope)) {
//     sobol.next(uniforms);                 // simplices->uniforms() numbers
//     const Vector x = simplices->point(uniforms);
//   }
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "numeric/padded_matrix.hpp"
#include "numeric/polytope.hpp"

namespace oscbo::numeric {

/// simplex_point writes a point of {x >= 0, x_1 + ... + x_d = sum}. The point is uniform if the
/// d - 1 numbers are independent and uniform on (0, 1). A stick of length `sum` is broken d - 1
/// times: when k parts are left, the next part takes the share 1 - u^(1 / (k - 1)) of the rest,
/// where u is the next number. This share is Beta(1, k - 1) distributed. Requires
/// out.size() == uniforms.size() + 1.
void simplex_point(std::span<const double> uniforms, double sum, std::span<double> out);

/// A polytope that is a product of simplices and intervals: mixtures, and variables limited only by
/// their bounds. It has no inequalities but these bounds. Every variable occurs in at most one
/// equality, all coefficients of an equality have the same sign, and the upper bounds of its
/// variables never bind.
class SimplexProduct {
 public:
  /// Returns nullopt if the polytope is not such a product, or is empty.
  [[nodiscard]] static std::optional<SimplexProduct> of(const Polytope& polytope);

  /// uniforms returns how many uniform numbers `point` needs: the dimension of the product.
  [[nodiscard]] std::size_t uniforms() const;

  /// point returns a point of the polytope. The point is uniform if the numbers are independent and
  /// uniform on (0, 1). It meets the bounds exactly, and the equalities up to rounding.
  [[nodiscard]] Vector point(std::span<const double> uniforms) const;

 private:
  explicit SimplexProduct(const Polytope& polytope);

  [[nodiscard]] bool add_simplex(const Polytope& polytope, Index row);

  Vector lower_;
  Vector upper_;
  Vector edges_;                               // x_i - lower_i <= edges_i
  std::vector<std::vector<Index>> simplices_;  // the variables of each simplex
  std::vector<Index> intervals_;               // the variables in no simplex
};

}  // namespace oscbo::numeric
