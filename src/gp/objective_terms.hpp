// The weights of the function that lengthscale rules minimise (lengthscale_objective.hpp):
//
//   J(theta) = sum_j a_j log L_jj^2 + sum_j b_j |z_j|^p + constant,
//
// where A = L L^T is the kernel matrix with noise, and z = L^{-1} y.
#pragma once

#include <cmath>
#include <numbers>

#include "numeric/padded_matrix.hpp"

namespace oscbo::gp {

/// Each vector has one weight per point.
struct ObjectiveTerms {
  numeric::Vector log_pivot_weights;  // a
  numeric::Vector residual_weights;   // b
  double exponent = 2.0;              // p, 1 or 2
  double constant = 0.0;
};

/// likelihood_terms makes J the negative log marginal likelihood of n points.
[[nodiscard]] inline ObjectiveTerms likelihood_terms(numeric::Index n) {
  return {.log_pivot_weights = numeric::Vector::Constant(n, 0.5),
          .residual_weights = numeric::Vector::Constant(n, 0.5),
          .exponent = 2.0,
          .constant = 0.5 * static_cast<double>(n) * std::log(2.0 * std::numbers::pi)};
}

}  // namespace oscbo::gp
