// The inputs of a Gaussian process and the distances between them, which are computed once per
// point and reused by every evaluation of the kernel matrix.
#pragma once

#include <span>

#include "gp/kernel.hpp"

namespace oscbo::gp {

/// Lengthscales are a vector of one entry (isotropic) or of one entry per input dimension (ARD).
class Inputs {
 public:
  explicit Inputs(Index dimension, Index capacity = 0);

  /// append adds a point in O(n d).
  void append(std::span<const double> x);

  [[nodiscard]] Index size() const { return n_; }
  [[nodiscard]] Index dimension() const { return dimension_; }

  /// X()(i, k) is coordinate k of point i; rows from size() on are zero.
  [[nodiscard]] const PaddedMatrix& X() const { return X_; }

  /// kernel_matrix writes K(X, X; lengthscales) to the lower triangle of `K` (whole tiles), whose
  /// rows and columns are at least size().
  void kernel_matrix(KernelShape shape, const Vector& lengthscales, PaddedMatrix& K) const;

  /// kernel_matrix_with_slope also writes psi(r_ij) below the diagonal and zeros on it and above
  /// it within its tiles.
  void kernel_matrix_with_slope(KernelShape shape, const Vector& lengthscales, PaddedMatrix& K,
                                PaddedMatrix& slope) const;

  /// multiply_by_squares replaces W_ij by W_ij |x_i - x_j|^2 in the lower triangle.
  void multiply_by_squares(PaddedMatrix& W) const;

  /// sums_of_squares returns, for each input dimension k, sum_{i > j} W_ij (x_ik - x_jk)^2.
  void sums_of_squares(const PaddedMatrix& W, Vector& sums) const;

 private:
  void reserve(Index capacity);
  void scaled_distances(const Vector& lengthscales, Index column, double* distances) const;

  Index dimension_;
  Index n_ = 0;
  PaddedMatrix X_;          // capacity x d
  PaddedMatrix distances_;  // |x_i - x_j|, capacity x capacity, lower triangle, zeros elsewhere
};

}  // namespace oscbo::gp
