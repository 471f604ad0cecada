// A second, dense implementation of a Gaussian process that ignores speed, and random data to
// compare it with the real one.
#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "gp/posterior.hpp"
#include "gp/stationary_kernel.hpp"
#include "numeric/random_stream.hpp"

namespace oscbo::gp::test {

using Matrix = Eigen::MatrixXd;

inline constexpr double kNoise = 0.01;

inline double dense_kernel(KernelShape shape, const Vector& a, const Vector& b,
                           const Vector& theta) {
  double squares = 0.0;
  for (Index k = 0; k < a.size(); ++k) {
    const double scaled = (a[k] - b[k]) / theta[theta.size() == 1 ? 0 : k];
    squares += scaled * scaled;
  }
  const double r = std::sqrt(squares);
  switch (shape) {
    case KernelShape::matern12: return std::exp(-r);
    case KernelShape::matern32: return (1.0 + std::sqrt(3.0) * r) * std::exp(-std::sqrt(3.0) * r);
    case KernelShape::matern52:
      return (1.0 + std::sqrt(5.0) * r + 5.0 * r * r / 3.0) * std::exp(-std::sqrt(5.0) * r);
    case KernelShape::rbf: break;
  }
  return std::exp(-r * r / 2.0);
}

/// Returns the model's prediction at x, with gradients.
template <class Model>
LocalPrediction predicted_at(Model& model, const Vector& x) {
  LocalPrediction point(x.size());
  point.x = x;
  model.predict({&point, 1});
  return point;
}

struct Data {
  Matrix X;  // n x d
  Vector y;

  [[nodiscard]] Inputs inputs() const {
    Inputs result(X.cols());
    for (Index i = 0; i < X.rows(); ++i) {
      const Vector row = X.row(i);
      result.append({row.data(), static_cast<std::size_t>(row.size())});
    }
    return result;
  }

  [[nodiscard]] Vector point(Index i) const { return X.row(i); }

  /// K + noise I over the first `n` points.
  [[nodiscard]] Matrix gram(Index n, KernelShape shape, const Vector& theta, double noise) const {
    Matrix A(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) A(i, j) = dense_kernel(shape, point(i), point(j), theta);
    }
    return A + noise * Matrix::Identity(n, n);
  }

  [[nodiscard]] Vector covariance(Index n, KernelShape shape, const Vector& theta,
                                  const Vector& x) const {
    Vector k(n);
    for (Index i = 0; i < n; ++i) k[i] = dense_kernel(shape, point(i), x, theta);
    return k;
  }
};

/// One random problem: size, dimension, kernel, lengthscales and data all drawn from `seed`.
struct RandomCase {
  explicit RandomCase(std::uint64_t seed) {
    numeric::RandomStream stream(seed, numeric::Purpose::initial_design, 77);
    const auto n = static_cast<Index>(2 + stream.below(40));
    const auto d = static_cast<Index>(1 + stream.below(6));
    shape = static_cast<KernelShape>(stream.below(4));
    ard = stream.below(2) == 1;
    exponent = stream.below(2) == 1 ? 1.0 : 2.0;
    noise = std::pow(10.0, -4.0 + 3.0 * stream.uniform());
    data.X = Matrix::NullaryExpr(n, d, [&] { return stream.uniform(); });
    data.y = Vector::NullaryExpr(n, [&] { return stream.normal(); });
    theta = Vector::NullaryExpr(ard ? d : 1, [&] { return 0.15 + 1.5 * stream.uniform(); });
    weights = Vector::NullaryExpr(n, [&] { return stream.uniform(); });
    pivot_weights = Vector::NullaryExpr(n, [&] { return stream.uniform(); });
    x = Vector::NullaryExpr(d, [&] { return stream.uniform(); });
  }

  [[nodiscard]] Index size() const { return data.X.rows(); }

  KernelShape shape;
  bool ard;
  double exponent;
  double noise;
  Data data;
  Vector theta;
  Vector weights;
  Vector pivot_weights;
  Vector x;
};

/// K + noise I over the first n points, for any kernel(a, b).
template <class DenseKernel>
Matrix dense_gram(const Data& data, Index n, double noise, const DenseKernel& kernel) {
  Matrix A = noise * Matrix::Identity(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) A(i, j) += kernel(data.point(i), data.point(j));
  }
  return A;
}

/// The prediction at `at` from the first n points, for any kernel(a, b).
template <class DenseKernel>
Moments dense_moments(const Data& data, Index n, double noise, const DenseKernel& kernel,
                      const Vector& at) {
  if (n == 0) return {.mean = 0.0, .variance = kernel(at, at)};
  const Eigen::LDLT<Matrix> A(dense_gram(data, n, noise, kernel));
  Vector k(n);
  for (Index i = 0; i < n; ++i) k[i] = kernel(data.point(i), at);
  return {.mean = k.dot(A.solve(data.y.head(n))), .variance = kernel(at, at) - k.dot(A.solve(k))};
}

/// Fourth-order central difference of f at 0.
template <class Function>
double derivative(double step, Function&& f) {
  return (8.0 * (f(step) - f(-step)) - (f(2.0 * step) - f(-2.0 * step))) / (12.0 * step);
}

/// Runs `check` on `count` random problems; a failure names the seed of its problem.
template <class Check>
void for_random_cases(int count, Check&& check) {
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE(testing::Message() << "random case " << seed);
    check(RandomCase(static_cast<std::uint64_t>(seed)));
  }
}

inline std::span<const double> view(const Vector& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// A batch of uniform points of the unit cube.
inline PredictionBatch random_batch(Index count, Index dimension) {
  PredictionBatch batch;
  batch.resize(count, dimension);
  numeric::RandomStream stream(1, numeric::Purpose::raw_samples);
  for (Index i = 0; i < count; ++i) {
    for (Index k = 0; k < dimension; ++k) batch.points(i, k) = stream.uniform();
  }
  return batch;
}

/// Returns point i of a batch.
inline Vector point_of(const PredictionBatch& batch, Index i) {
  return Vector::NullaryExpr(batch.points.columns(), [&](Index k) { return batch.points(i, k); });
}

}  // namespace oscbo::gp::test
