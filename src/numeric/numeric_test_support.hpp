// Matrices, samples, polytopes and a function for the tests in this directory.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <Eigen/Dense>

#include "numeric/padded_matrix.hpp"
#include "numeric/polytope.hpp"
#include "numeric/random_stream.hpp"

namespace oscbo::numeric::test {

using Matrix = Eigen::MatrixXd;

inline Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::initial_design);
  return Matrix::NullaryExpr(rows, columns, [&] { return stream.normal(); });
}

/// sqrt(n) sup |F_n - F|. It is below 1.95 for 999 in 1000 samples from F.
inline double kolmogorov_smirnov(std::vector<double> values,
                                 const std::function<double(double)>& cdf) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = cdf(values[i]);
    distance = std::max({distance, expected - static_cast<double>(i) / n,
                         static_cast<double>(i + 1) / n - expected});
  }
  return std::sqrt(n) * distance;
}

/// {x in [0, 1]^d : C x <= b, E x = e}.
inline Polytope in_unit_cube(const Matrix& C, const Vector& b, const Matrix& E, const Vector& e) {
  const Index d = C.cols();
  return {Vector::Zero(d), Vector::Ones(d), {.C = C, .b = b, .E = E, .e = e}};
}

/// {x >= 0, x_1 + ... + x_d = 1}.
inline Polytope unit_simplex(Index d) {
  return in_unit_cube(Matrix(0, d), Vector(0), Matrix::Ones(1, d), Vector::Ones(1));
}

/// {x, y >= 0, x + y <= 1}.
inline Polytope unit_triangle() {
  return in_unit_cube(Matrix::Ones(1, 2), Vector::Ones(1), Matrix(0, 2), Vector(0));
}

/// A polytope in the unit cube with at least one point. Some of these polytopes have no interior.
/// Some rows are multiples of the row before, and some inequalities are tight at the same point.
inline Polytope random_polytope(std::uint64_t seed) {
  RandomStream stream(seed, Purpose::raw_samples);
  const auto below = [&](Index n) {
    return static_cast<Index>(stream.below(static_cast<std::size_t>(n)));
  };
  const Index d = 1 + below(9);
  const Index m = below(2 * d);
  const Index p = seed % 3 == 0 ? below(d) : 0;
  Matrix A = Matrix::NullaryExpr(m + p, d, [&] { return stream.normal(); });
  for (Index k = 1; k < m + p; ++k) {
    if (below(4) == 0) A.row(k) = A.row(k - 1) * (below(2) == 0 ? 3.0 : -1.0);
  }
  const Vector inside =
      Vector::NullaryExpr(d, [&] { return std::round(8.0 * stream.uniform()) / 8.0; });
  Vector a = A * inside;
  for (Index k = 0; k < m; ++k) a[k] += below(3) == 0 ? 0.0 : stream.uniform();
  return in_unit_cube(A.topRows(m), a.head(m), A.bottomRows(p), a.tail(p));
}

/// Rosenbrock's function. Its minimum is 0 at (1, 1), in a curved valley.
inline double rosenbrock(const Vector& x, Vector& gradient) {
  const double across = x[1] - x[0] * x[0];
  gradient[0] = -400.0 * x[0] * across - 2.0 * (1.0 - x[0]);
  gradient[1] = 200.0 * across;
  return 100.0 * across * across + (1.0 - x[0]) * (1.0 - x[0]);
}

}  // namespace oscbo::numeric::test
