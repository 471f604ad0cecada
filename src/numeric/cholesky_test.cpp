#include "numeric/cholesky.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "numeric/numeric_test_support.hpp"
#include "numeric/parallel.hpp"

namespace oscbo::numeric {
namespace {

using test::Matrix;
using test::random_matrix;

Matrix random_positive_definite(Index n, std::uint64_t seed) {
  const Matrix B = random_matrix(n, n, seed);
  return B * B.transpose() / static_cast<double>(n) + 0.5 * Matrix::Identity(n, n);
}

constexpr double kUnspecified = std::numeric_limits<double>::quiet_NaN();

/// Writes A and, below it, the right-hand sides.
void fill(PaddedMatrix& storage, const Matrix& A, const Matrix& rows) {
  const Index n = A.rows();
  storage.resize(n + rows.rows(), n);
  for (Index j = 0; j < n; ++j) {
    std::fill_n(storage.column(j), storage.padded_rows(), kUnspecified);
    for (Index i = round_down_to_lanes(j); i < n; ++i) storage(i, j) = A(i, j);
    for (Index i = 0; i < rows.rows(); ++i) storage(n + i, j) = rows(i, j);
  }
}

Matrix lower_of(const Cholesky& cholesky) {
  Matrix L = Matrix::Zero(cholesky.size(), cholesky.size());
  for (Index j = 0; j < L.cols(); ++j) {
    for (Index i = j; i < L.rows(); ++i) L(i, j) = cholesky.L()(i, j);
  }
  return L;
}

Cholesky factor_of(const Matrix& A) {
  Cholesky cholesky;
  fill(cholesky.storage(), A, Matrix(0, A.cols()));
  EXPECT_TRUE(cholesky.factorize(A.rows()));
  return cholesky;
}

// Sizes below, at and above multiples of the tile.
class CholeskySizes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(AroundTiles, CholeskySizes,
                         testing::Values(1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 33, 64, 110));
INSTANTIATE_TEST_SUITE_P(AroundBlocks, CholeskySizes,
                         testing::Values(256, 257, 383, 384, 387, 530));

TEST_P(CholeskySizes, FactorAndRowsBelowMatchADenseSolve) {
  const Index n = GetParam();
  const Matrix A = random_positive_definite(n, 1);
  const Matrix rows = random_matrix(3, n, 2);
  Cholesky cholesky;
  fill(cholesky.storage(), A, rows);
  ASSERT_TRUE(cholesky.factorize(n));

  const Matrix L = A.llt().matrixL();
  EXPECT_LT((lower_of(cholesky) - L).norm(), 1e-13 * L.norm());
  const Matrix expected = L.triangularView<Eigen::Lower>().solve(rows.transpose()).transpose();
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < n; ++j) {
      EXPECT_NEAR(cholesky.L()(n + i, j), expected(i, j), 1e-12 * expected.norm());
    }
  }
  for (Index j = 0; j < n; ++j) EXPECT_NEAR(cholesky.inverse_diagonal()[j] * L(j, j), 1.0, 1e-13);
}

TEST_P(CholeskySizes, SolveRowsMatchesADenseSolve) {
  const Index n = GetParam();
  const Matrix A = random_positive_definite(n, 3);
  const Matrix rows = random_matrix(11, n, 4);
  PaddedMatrix B(11, n);
  B.set_zero();
  for (Index i = 0; i < 11; ++i) {
    for (Index j = 0; j < n; ++j) B(i, j) = rows(i, j);
  }
  factor_of(A).solve_rows(B);
  const Matrix L = A.llt().matrixL();
  const Matrix expected = L.triangularView<Eigen::Lower>().solve(rows.transpose()).transpose();
  for (Index i = 0; i < 11; ++i) {
    for (Index j = 0; j < n; ++j) EXPECT_NEAR(B(i, j), expected(i, j), 1e-12 * expected.norm());
  }
}

TEST_P(CholeskySizes, InverseTransposedIsUpperTriangularAndInverts) {
  const Index n = GetParam();
  const Matrix A = random_positive_definite(n, 5);
  PaddedMatrix U;
  factor_of(A).inverse_transposed(U);
  Matrix dense = Matrix::Zero(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i <= j; ++i) dense(i, j) = U(i, j);
    for (Index i = j + 1; i < std::min(n, round_up_to_lanes(j + 1)); ++i) EXPECT_EQ(U(i, j), 0.0);
  }
  EXPECT_LT((dense * dense.transpose() * A - Matrix::Identity(n, n)).norm(), 1e-11);
}

TEST_P(CholeskySizes, AppendingEqualsFactorizingFromScratch) {
  const Index n = GetParam();
  const Matrix A = random_positive_definite(n + 5, 8);
  Cholesky grown = factor_of(A.topLeftCorner(n, n));
  for (Index m = n; m < n + 5; ++m) {
    const Vector solved = A.topLeftCorner(m, m).llt().matrixL().solve(A.col(m).head(m));
    ASSERT_TRUE(grown.append(solved.data(), A(m, m)));
  }
  const Matrix L = A.llt().matrixL();
  EXPECT_LT((lower_of(grown) - L).norm(), 1e-13 * L.norm());
  PaddedMatrix U;
  grown.inverse_transposed(U);  // needs the reciprocals of the appended diagonal entries
  EXPECT_NEAR(U(n + 4, n + 4) * L(n + 4, n + 4), 1.0, 1e-13);
}

TEST_P(CholeskySizes, ContractSandwichIsTheWeightedLowerTriangle) {
  const Index n = GetParam();
  const Matrix Q = random_matrix(n, n, 9);
  PaddedMatrix U(n, n);
  for (Index j = 0; j < n; ++j) std::fill_n(U.column(j), n, kUnspecified);
  factor_of(random_positive_definite(n, 10)).inverse_transposed(U);
  Matrix dense = Matrix::Zero(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i <= j; ++i) dense(i, j) = U(i, j);
  }
  const Matrix R = dense * (Q + Q.transpose());
  const Matrix M = dense * R.transpose();
  PaddedMatrix padded_R(n, n);
  PaddedMatrix W(n, n);
  PaddedMatrix product(n, n);
  padded_R.set_zero();
  W.set_zero();
  double expected = 0.0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      padded_R(i, j) = i < round_up_to_lanes(j + 1) ? R(i, j) : kUnspecified;
    }
    for (Index i = j; i < n; ++i) {
      W(i, j) = Q(i, j);
      expected += M(i, j) * Q(i, j);
    }
  }
  const double scale = M.norm() * Q.norm();
  EXPECT_NEAR(contract_sandwich(U, padded_R, n, W, &product), expected, 1e-12 * scale);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) EXPECT_NEAR(product(i, j), M(i, j) * Q(i, j), 1e-12 * scale);
  }
}

/// Everything that can be computed from a matrix, in one list.
std::vector<double> all_results(const Matrix& A, int threads) {
  const ThreadLimit limit(threads);
  const Index n = A.rows();
  Cholesky cholesky = factor_of(A);
  PaddedMatrix U;
  cholesky.inverse_transposed(U);
  PaddedMatrix B(2 * n, n);
  for (Index j = 0; j < n; ++j) std::fill_n(B.column(j), 2 * n, 1.0);
  cholesky.solve_rows(B);
  PaddedMatrix W(n, n);
  W.set_zero();
  for (Index j = 0; j < n; ++j) std::fill_n(W.column(j) + j, n - j, 1.0);
  std::vector<double> results{contract_sandwich(U, U, n, W)};
  for (Index j = 0; j < n; ++j) {
    results.insert(results.end(), cholesky.L().column(j) + j, cholesky.L().column(j) + n);
    results.insert(results.end(), U.column(j), U.column(j) + j);
    results.insert(results.end(), B.column(j), B.column(j) + 2 * n);
  }
  return results;
}

TEST(Cholesky, IsTheSameToTheLastBitForAnyNumberOfThreads) {
  const Matrix A = random_positive_definite(700, 14);
  const std::vector<double> alone = all_results(A, 1);
  EXPECT_EQ(all_results(A, 2), alone);
  EXPECT_EQ(all_results(A, 5), alone);
}

TEST(Cholesky, OfNoPointsIsEmpty) {
  Cholesky cholesky = factor_of(Matrix(0, 0));
  PaddedMatrix U;
  cholesky.inverse_transposed(U);
  EXPECT_EQ(contract_sandwich(U, U, 0, U), 0.0);
}

TEST(Cholesky, RefusesAnIndefiniteMatrix) {
  Matrix A = random_positive_definite(12, 11);
  A(7, 7) = -1.0;
  Cholesky cholesky;
  fill(cholesky.storage(), A, Matrix(0, 12));
  EXPECT_FALSE(cholesky.factorize(12));
}

TEST(Cholesky, RefusesALargeMatrixThatIsIndefiniteInItsLastBlock) {
  Matrix A = random_positive_definite(400, 15);
  A.row(399) = A.row(5);
  A.col(399) = A.col(5);
  Cholesky cholesky;
  fill(cholesky.storage(), A, Matrix(0, 400));
  EXPECT_FALSE(cholesky.factorize(400));
}

TEST(Cholesky, RefusesNaN) {
  Matrix A = random_positive_definite(3, 12);
  A(1, 0) = std::nan("");
  Cholesky cholesky;
  fill(cholesky.storage(), A, Matrix(0, 3));
  EXPECT_FALSE(cholesky.factorize(3));
}

TEST(Cholesky, AppendingADependentRowChangesNothing) {
  const Matrix A = random_positive_definite(6, 13);
  Cholesky cholesky = factor_of(A);
  const Matrix before = lower_of(cholesky);
  const Vector solved = before.triangularView<Eigen::Lower>().solve(A.col(2));
  EXPECT_FALSE(cholesky.append(solved.data(), A(2, 2)));  // an exact copy of point 2
  EXPECT_EQ(cholesky.size(), 6);
  EXPECT_EQ((lower_of(cholesky) - before).norm(), 0.0);
}

TEST(JitterLadder, ReportsWhatItNeeded) {
  const auto attempt = [](double smallest_eigenvalue, double scale) {
    // Two equal points: eigenvalues 2 and `smallest_eigenvalue`, times the scale.
    Cholesky cholesky;
    return factorize_with_jitter(cholesky, 2, [&](PaddedMatrix& A) {
      A.resize(2, 2);
      A.set_zero();
      A(0, 0) = A(1, 1) = scale * (1.0 + smallest_eigenvalue / 2.0);
      A(1, 0) = A(0, 1) = scale * (1.0 - smallest_eigenvalue / 2.0);
    });
  };
  // The ladder is in units of the diagonal, so it works for a kernel of any variance.
  for (const double scale : {1.0, 512.0, 1e-6, 1e100}) {
    EXPECT_EQ(attempt(0.1, scale).jitter, 0.0);
    EXPECT_EQ(attempt(0.0, scale).jitter, 1e-8 * scale);
    EXPECT_DOUBLE_EQ(attempt(-5e-7, scale).jitter, 1e-6 * (1.0 - 2.5e-7) * scale);
    EXPECT_DOUBLE_EQ(attempt(-5e-5, scale).jitter, 1e-4 * (1.0 - 2.5e-5) * scale);
    EXPECT_TRUE(attempt(-5e-5, scale).ok);
    EXPECT_FALSE(attempt(-1e-2, scale).ok);
  }
}

}  // namespace
}  // namespace oscbo::numeric
