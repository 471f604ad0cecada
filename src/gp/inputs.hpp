// The inputs of a Gaussian process and the distances between them. Up to 256 points, the distances
// are computed once and reused by every evaluation of the kernel matrix. For more points, the
// distances are computed on demand: storing them would take as much memory as a Cholesky factor of
// the kernel matrix, and computing them takes little of the time.
#pragma once

#include <span>
#include <vector>

#include "gp/numeric_names.hpp"

namespace oscbo::gp {

class Inputs {
 public:
  explicit Inputs(Index dimension, Index capacity = 0);

  /// append adds a point in O(n d).
  void append(std::span<const double> x);

  [[nodiscard]] Index size() const { return n_; }
  [[nodiscard]] Index dimension() const { return dimension_; }

  /// X returns the points: X()(i, k) is coordinate k of point i. Rows i >= size() are zero.
  [[nodiscard]] const PaddedMatrix& X() const { return X_; }

  /// point returns the coordinates of point i.
  [[nodiscard]] std::vector<double> point(Index i) const;

  /// distance returns |x_i - x_j| for i > j.
  [[nodiscard]] double distance(Index i, Index j) const;

  /// copy_distances writes `scale` times |x_i - x_j| to distances[i], for all rows i from the
  /// first row of the tile (numeric/cholesky.hpp) that contains row j.
  void copy_distances(Index j, double scale, double* distances) const;

  /// multiply_by_squares replaces W_ij by W_ij |x_i - x_j|^2 in the lower triangle.
  void multiply_by_squares(PaddedMatrix& W) const;

  /// sums_of_squares returns, for each input dimension k, sum_{i > j} W_ij (x_ik - x_jk)^2.
  void sums_of_squares(const PaddedMatrix& W, Vector& sums) const;

 private:
  static constexpr Index kMostStored = 256;

  void reserve(Index capacity);
  void append_distances(std::span<const double> x);
  /// squares returns |x_i - x_j|^2 for the packet of rows that starts at row i.
  [[nodiscard]] numeric::Packet squares(Index i, Index j) const;
  [[nodiscard]] bool stores_distances() const { return n_ <= kMostStored; }

  Index dimension_;
  Index n_ = 0;
  PaddedMatrix X_;          // capacity x d
  PaddedMatrix distances_;  // the lower triangle; empty beyond kMostStored points
};

}  // namespace oscbo::gp
