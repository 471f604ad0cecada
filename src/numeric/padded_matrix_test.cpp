#include "numeric/padded_matrix.hpp"

#include <gtest/gtest.h>

namespace oscbo::numeric {
namespace {

double entry(Index i, Index j) { return static_cast<double>(100 * i + j + 1); }

TEST(PaddedMatrix, GrowingKeepsTheContentsAndAddsZeros) {
  PaddedMatrix matrix(1, 1);
  matrix(0, 0) = entry(0, 0);
  for (Index n = 2; n < 40; ++n) {
    matrix.grow(n, n);
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < matrix.padded_rows(); ++i) {
        EXPECT_EQ(matrix(i, j), i < n - 1 && j < n - 1 ? entry(i, j) : 0.0);
      }
    }
    for (Index i = 0; i < n; ++i) matrix(i, n - 1) = entry(i, n - 1);
    for (Index j = 0; j < n; ++j) matrix(n - 1, j) = entry(n - 1, j);
  }
}

TEST(PaddedMatrix, GrowingAfterTruncationAddsZeros) {
  PaddedMatrix matrix(9, 9);
  for (Index j = 0; j < 9; ++j) std::fill_n(matrix.column(j), matrix.padded_rows(), 7.0);
  matrix.truncate(3, 3);
  matrix.grow(4, 4);
  EXPECT_EQ(matrix(2, 2), 7.0);
  for (Index i = 0; i < 4; ++i) {
    EXPECT_EQ(matrix(i, 3), 0.0);
    EXPECT_EQ(matrix(3, i), 0.0);
  }
}

TEST(PaddedMatrix, GrowingByOneAllocatesRarelyAndWastesAtMostATenth) {
  PaddedMatrix matrix(1000, 1000);
  int allocations = 0;
  for (Index n = 1001; n <= 1100; ++n) {
    const double* before = matrix.column(0);
    matrix.grow(n, n);
    allocations += matrix.column(0) != before ? 1 : 0;
    EXPECT_LE(matrix.capacity(), 1.1 * static_cast<double>(n * n));
  }
  EXPECT_LE(allocations, 4);
}

}  // namespace
}  // namespace oscbo::numeric
