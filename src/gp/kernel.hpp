// Stationary kernels k(x, x') = phi(r), r^2 = sum_j (x_j - x'_j)^2 / theta_j^2, phi(0) = 1.
//
// Every derivative follows from psi(r) = -phi'(r) / r, which is finite at r = 0 for all but the
// Matern-1/2 kernel:
//
//   dk/dtheta_j =  psi(r) (x_j - x'_j)^2 / theta_j^3      (isotropic: psi(r) r^2 / theta)
//   dk/dx_j     = -psi(r) (x_j - x'_j) / theta_j^2
#pragma once

#include "numeric/padded_matrix.hpp"

namespace oscbo::gp {

using numeric::Index;
using numeric::PaddedMatrix;
using numeric::Vector;

enum class KernelShape { matern12, matern32, matern52, rbf };

/// evaluate replaces `count` distances r by phi(r). `count` is a multiple of numeric::kLanes and
/// the storage is aligned.
void evaluate(KernelShape shape, double* distances, Index count);

/// evaluate_with_slope also writes psi(r). At r = 0, where the Matern-1/2 kernel has a kink, its
/// psi is a large finite number, so that psi(r) (x - x') is the subgradient 0 there.
void evaluate_with_slope(KernelShape shape, double* distances, double* slope, Index count);

/// take_roots replaces `count` numbers by their square roots.
void take_roots(double* squares, Index count);

}  // namespace oscbo::gp
