#include "in_context/packed_matrix.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace oscbo::in_context {
namespace {

/// A value that is exact in single precision, and so are sums of a few hundred products of two.
double entry_of(Index i, Index j) { return static_cast<double>((7 * i + 3 * j) % 11 - 5) / 4.0; }

template <class Scalar>
class PackedMatrixOf : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(PackedMatrixOf, Scalars);

template <class Scalar>
std::vector<Scalar> filled(Index rows, Index columns) {
  std::vector<Scalar> values;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) values.push_back(static_cast<Scalar>(entry_of(i + 1, j)));
  }
  return values;
}

template <class Scalar>
PackedMatrix<Scalar> packed(Index depth, Index columns) {
  PackedMatrix<Scalar> B;
  B.pack(depth, columns, [](Index k, Index j) { return static_cast<Scalar>(entry_of(k, j)); });
  return B;
}

TYPED_TEST(PackedMatrixOf, MultipliesMatricesOfAllSizes) {
  for (const Index rows : {1, 2, 5, 12, 13, 30}) {
    for (const Index depth : {1, 3, 16, 50}) {
      for (const Index columns : {1, 7, 16, 33, 64, 100}) {
        const auto B = packed<TypeParam>(depth, columns);
        const auto X = filled<TypeParam>(rows, depth);
        const auto bias = filled<TypeParam>(1, columns);
        std::vector<TypeParam> Y(static_cast<std::size_t>(rows * columns), TypeParam(2));
        B.multiply(X.data(), depth, rows, bias.data(), Y.data(), columns, Store::add);
        for (Index i = 0; i < rows; ++i) {
          for (Index j = 0; j < columns; ++j) {
            double sum = 2.0 + entry_of(1, j);
            for (Index k = 0; k < depth; ++k) sum += entry_of(i + 1, k) * entry_of(k, j);
            ASSERT_EQ(static_cast<double>(Y[static_cast<std::size_t>(i * columns + j)]), sum)
                << rows << 'x' << depth << 'x' << columns << " at " << i << ", " << j;
          }
        }
      }
    }
  }
}

TYPED_TEST(PackedMatrixOf, MultipliesByTheTransposedMatrix) {
  for (const Index rows : {1, 3, 4, 9}) {
    for (const Index depth : {1, 3, 4, 18}) {
      for (const Index columns : {1, 7, 16, 33, 64, 100}) {
        const auto B = packed<TypeParam>(depth, columns);
        const auto Y = filled<TypeParam>(rows, columns);
        std::vector<TypeParam> X(static_cast<std::size_t>(rows * depth), TypeParam(-1));
        B.multiply_transposed(Y.data(), columns, rows, X.data(), depth, Store::add);
        for (Index i = 0; i < rows; ++i) {
          for (Index k = 0; k < depth; ++k) {
            double sum = -1.0;
            for (Index j = 0; j < columns; ++j) sum += entry_of(i + 1, j) * entry_of(k, j);
            ASSERT_EQ(static_cast<double>(X[static_cast<std::size_t>(i * depth + k)]), sum)
                << rows << 'x' << depth << 'x' << columns << " at " << i << ", " << k;
          }
        }
      }
    }
  }
}

TYPED_TEST(PackedMatrixOf, WritesOnlyItsColumns) {
  const auto B = packed<TypeParam>(4, 5);
  const auto X = filled<TypeParam>(2, 4);
  std::vector<TypeParam> Y(20, TypeParam(9));
  B.multiply(X.data(), 4, 2, nullptr, Y.data(), 10);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(Y[i] == TypeParam(9), i % 10 >= 5) << i;
}

TYPED_TEST(PackedMatrixOf, KeepsRowsApartFromNumbersThatAreNotFinite) {
  const auto B = packed<TypeParam>(3, 5);
  auto Y = filled<TypeParam>(2, 5);
  Y[5] = static_cast<TypeParam>(NAN);  // the second row
  std::array<TypeParam, 6> X{};
  B.multiply_transposed(Y.data(), 5, 2, X.data(), 3);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(std::isfinite(X[k]));
    EXPECT_TRUE(std::isnan(X[3 + k]));
  }
}

TYPED_TEST(PackedMatrixOf, GivesARowTheSameBitsAloneAndAmongOthers) {
  PackedMatrix<TypeParam> B;
  B.pack(70, 45, [](Index k, Index j) {
    return static_cast<TypeParam>(std::sin(static_cast<double>(k * 45 + j)));
  });
  std::vector<TypeParam> X(27 * 70);
  for (std::size_t i = 0; i < X.size(); ++i) {
    X[i] = static_cast<TypeParam>(std::cos(static_cast<double>(i)));
  }
  std::vector<TypeParam> Y(27 * 45);
  B.multiply(X.data(), 70, 27, nullptr, Y.data(), 45);
  std::vector<TypeParam> back(27 * 70);
  B.multiply_transposed(Y.data(), 45, 27, back.data(), 70);
  for (std::size_t i = 0; i < 27; ++i) {
    std::array<TypeParam, 45> y{};
    B.multiply(X.data() + i * 70, 70, 1, nullptr, y.data(), 45);
    for (std::size_t j = 0; j < 45; ++j) ASSERT_EQ(y[j], Y[i * 45 + j]) << i << ", " << j;
    std::array<TypeParam, 70> x{};
    B.multiply_transposed(y.data(), 45, 1, x.data(), 70);
    for (std::size_t k = 0; k < 70; ++k) ASSERT_EQ(x[k], back[i * 70 + k]) << i << ", " << k;
  }
}

}  // namespace
}  // namespace oscbo::in_context
