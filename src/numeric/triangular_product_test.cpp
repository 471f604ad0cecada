#include "numeric/triangular_product.hpp"

#include <limits>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "numeric/numeric_test_support.hpp"
#include "numeric/parallel.hpp"

namespace oscbo::numeric {
namespace {

using test::Matrix;
using test::random_matrix;

/// A matrix, dense and in the layout that the functions take. Entries that they must not read are
/// NaN.
struct Upper {
  explicit Upper(Index n) : dense(random_matrix(n, n, 1).triangularView<Eigen::Upper>()), U(n, n) {
    for (Index j = 0; j < n; ++j) {
      std::fill_n(U.column(j), U.padded_rows(), std::numeric_limits<double>::quiet_NaN());
      for (Index i = 0; i < round_up_to_lanes(j + 1); ++i) U(i, j) = i <= j ? dense(i, j) : 0.0;
    }
  }

  Matrix dense;
  PaddedMatrix U;
};

class TriangularProduct : public testing::TestWithParam<Index> {};
INSTANTIATE_TEST_SUITE_P(Sizes, TriangularProduct,
                         testing::Values(1, 3, 4, 7, 8, 9, 31, 64, 110, 256, 257, 300, 700));

PaddedMatrix padded(const Matrix& matrix) {
  PaddedMatrix result(matrix.rows(), matrix.cols());
  result.set_zero();
  for (Index j = 0; j < matrix.cols(); ++j) {
    for (Index i = 0; i < matrix.rows(); ++i) result(i, j) = matrix(i, j);
  }
  return result;
}

Matrix dense(const PaddedMatrix& matrix) {
  return Matrix::NullaryExpr(matrix.rows(), matrix.columns(),
                             [&](Index i, Index j) { return matrix(i, j); });
}

TEST_P(TriangularProduct, OfAVectorMatchesTheDenseProduct) {
  const Index n = GetParam();
  const Upper upper(n);
  Vector k = Vector::Zero(round_up_to_lanes(n));
  k.head(n) = random_matrix(n, 1, 7);
  Vector v = Vector::Zero(k.size());
  Vector w = Vector::Zero(k.size());
  upper_transposed_times(upper.U, n, k.data(), v.data());
  upper_times(upper.U, n, k, w);
  EXPECT_LT((v.head(n) - upper.dense.transpose() * k.head(n)).norm(), 1e-12 * (1.0 + v.norm()));
  EXPECT_LT((w.head(n) - upper.dense * k.head(n)).norm(), 1e-12 * (1.0 + w.norm()));
}

TEST_P(TriangularProduct, ProductWithTheInverseMatchesTheDenseOne) {
  const Index n = GetParam();
  const Upper upper(n);
  for (const Index columns : {1, 4, 6}) {
    const Matrix K = random_matrix(n, columns, 8);
    PaddedMatrix V;
    PaddedMatrix W;
    inverse_times(upper.U, n, padded(K), V, W);
    const Matrix expected_V = upper.dense.transpose() * K;
    const Matrix expected_W = upper.dense * expected_V;
    EXPECT_LT((dense(V) - expected_V).norm(), 1e-13 * (1.0 + expected_V.norm()));
    EXPECT_LT((dense(W) - expected_W).norm(), 1e-13 * (1.0 + expected_W.norm()));
  }
}

// A model must predict the same for many points at once as for each point alone.
TEST_P(TriangularProduct, ProductWithManyColumnsHasTheBitsOfSingleColumns) {
  const Index n = GetParam();
  const Upper upper(n);
  const Matrix K = random_matrix(n, 7, 9);
  PaddedMatrix V;
  PaddedMatrix W;
  inverse_times(upper.U, n, padded(K), V, W);
  for (Index p = 0; p < K.cols(); ++p) {
    PaddedMatrix v;
    PaddedMatrix w;
    inverse_times(upper.U, n, padded(K.col(p)), v, w);
    EXPECT_EQ(dense(V).col(p), dense(v).col(0));
    EXPECT_EQ(dense(W).col(p), dense(w).col(0));
  }
}

TEST_P(TriangularProduct, ProductDoesNotDependOnTheNumberOfThreads) {
  const Index n = GetParam();
  const Upper upper(n);
  const PaddedMatrix K = padded(random_matrix(n, 5, 10));
  PaddedMatrix V;
  PaddedMatrix W;
  inverse_times(upper.U, n, K, V, W);
  const ThreadLimit alone(1);
  PaddedMatrix V_alone;
  PaddedMatrix W_alone;
  inverse_times(upper.U, n, K, V_alone, W_alone);
  EXPECT_EQ(dense(V), dense(V_alone));
  EXPECT_EQ(dense(W), dense(W_alone));
}

}  // namespace
}  // namespace oscbo::numeric
