// The inputs of a Gaussian process and the distances between them, which are computed once per
// point and reused by every evaluation of the kernel matrix.
#pragma once

#include <span>
#include <vector>

#include "numeric/padded_matrix.hpp"

namespace oscbo::gp {

using numeric::Index;
using numeric::PaddedMatrix;
using numeric::Vector;

class Inputs {
 public:
  explicit Inputs(Index dimension, Index capacity = 0);

  /// append adds a point in O(n d).
  void append(std::span<const double> x);

  [[nodiscard]] Index size() const { return n_; }
  [[nodiscard]] Index dimension() const { return dimension_; }

  /// X()(i, k) is coordinate k of point i; rows from size() on are zero.
  [[nodiscard]] const PaddedMatrix& X() const { return X_; }

  /// point returns the coordinates of point i.
  [[nodiscard]] std::vector<double> point(Index i) const;

  /// distances()(i, j) = |x_i - x_j| in the lower triangle, zeros elsewhere.
  [[nodiscard]] const PaddedMatrix& distances() const { return distances_; }

  /// multiply_by_squares replaces W_ij by W_ij |x_i - x_j|^2 in the lower triangle.
  void multiply_by_squares(PaddedMatrix& W) const;

  /// sums_of_squares returns, for each input dimension k, sum_{i > j} W_ij (x_ik - x_jk)^2.
  void sums_of_squares(const PaddedMatrix& W, Vector& sums) const;

 private:
  void reserve(Index capacity);

  Index dimension_;
  Index n_ = 0;
  PaddedMatrix X_;          // capacity x d
  PaddedMatrix distances_;  // capacity x capacity
};

}  // namespace oscbo::gp
