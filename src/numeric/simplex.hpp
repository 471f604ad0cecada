// Simplices, whose uniform points are functions of uniform numbers: a Sobol sequence can drive
// them.
//
//   if (const auto simplices = SimplexProduct::of(polytope)) {
//     sobol.next(uniforms);                 // simplices->uniforms() of them
//     const Vector x = simplices->point(uniforms);
//   }
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "numeric/padded_matrix.hpp"
#include "numeric/polytope.hpp"

namespace oscbo::numeric {

/// simplex_point writes a point of {x >= 0, x_1 + ... + x_d = sum}, uniform if the d - 1 numbers
/// are independent and uniform on (0, 1). The stick of length `sum` is broken d - 1 times: of what
/// is left for k parts, the next takes the share 1 - u^(1 / (k - 1)), which has the law Beta(1, k -
/// 1). Requires out.size() == uniforms.size() + 1.
void simplex_point(std::span<const double> uniforms, double sum, std::span<double> out);

/// A polytope without inequalities in which every variable has a place in at most one equality, all
/// coefficients of an equality have one sign, and no upper bound of its variables matters:
/// mixtures, beside variables that are free in their bounds. In other words, a product of simplices
/// and intervals.
class SimplexProduct {
 public:
  /// of returns nothing if the polytope is none such, or is empty.
  [[nodiscard]] static std::optional<SimplexProduct> of(const Polytope& polytope);

  /// How many uniform numbers a point takes: the dimension of the product.
  [[nodiscard]] std::size_t uniforms() const;

  /// point returns a point of the polytope, uniform if the numbers are independent and uniform on
  /// (0, 1). Bounds hold exactly, equalities but for rounding.
  [[nodiscard]] Vector point(std::span<const double> uniforms) const;

 private:
  explicit SimplexProduct(const Polytope& polytope);

  [[nodiscard]] bool add_simplex(const Polytope& polytope, Index row);

  Vector lower_;
  Vector upper_;
  Vector edges_;                               // x_i - lower_i <= edges_i
  std::vector<std::vector<Index>> simplices_;  // the variables of each
  std::vector<Index> intervals_;               // the others
};

}  // namespace oscbo::numeric
