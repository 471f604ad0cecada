#include "in_context/functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace oscbo::in_context {
namespace {

/// The numbers from -6 to 6 in small steps.
template <class Scalar>
Rows<Scalar> number_line() {
  Rows<Scalar> x(1, 1201);
  for (Index i = 0; i < x.size(); ++i) x(0, i) = static_cast<Scalar>(i - 600) / Scalar(100);
  return x;
}

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

template <class Scalar>
void check_gelu(double tolerance) {
  const Rows<Scalar> x = number_line<Scalar>();
  Rows<Scalar> value = x;
  apply_gelu(value);
  Rows<Scalar> slope(1, x.columns());
  for (Index i = 0; i < x.size(); ++i) slope(0, i) = Scalar(2);
  scale_by_gelu_slope(x, slope);
  for (Index i = 0; i < x.size(); ++i) {
    const auto at = static_cast<double>(x(0, i));
    const double density = std::exp(-0.5 * at * at) / std::sqrt(2.0 * std::numbers::pi);
    EXPECT_NEAR(value(0, i), at * normal_distribution(at), tolerance);
    EXPECT_NEAR(slope(0, i), 2.0 * (normal_distribution(at) + at * density), tolerance);
  }
}

TEST(Gelu, IsXTimesTheNormalDistribution) {
  check_gelu<float>(1.5e-6);
  check_gelu<double>(1e-14);
}

TEST(Gelu, IsTheSameForANumberInEveryPlace) {
  for (const float number : {0.3F, -1.7F, 2.9F}) {
    Rows<float> x(3, 37);
    std::fill_n(x.data(), x.size(), number);
    apply_gelu(x);
    for (Index i = 0; i < x.size(); ++i) EXPECT_EQ(x.data()[i], x(0, 0));
  }
}

TEST(Tanh, IsThatOfTheStandardLibrary) {
  Rows<float> x = number_line<float>();
  const Rows<float> at = x;
  apply_tanh(x);
  for (Index i = 0; i < x.size(); ++i) EXPECT_NEAR(x(0, i), std::tanh(at(0, i)), 5e-7);
}

TEST(Softmax, HasSharesThatSumToOneAndIgnoresThePadding) {
  Rows<double> x(2, 16);
  std::fill_n(x.data(), x.size(), 1e300);  // what happens to be in the padding
  for (const Index row : {0, 1}) {
    x(row, 0) = std::log(1.0);
    x(row, 1) = std::log(2.0);
    x(row, 2) = std::log(5.0);
  }
  apply_softmax(x, /*first=*/1, /*count=*/1, /*columns=*/3);
  EXPECT_EQ(x(0, 2), std::log(5.0)) << "another row";
  EXPECT_NEAR(x(1, 0), 0.125, 1e-15);
  EXPECT_NEAR(x(1, 1), 0.25, 1e-15);
  EXPECT_NEAR(x(1, 2), 0.625, 1e-15);
  for (Index j = 3; j < 16; ++j) EXPECT_EQ(x(1, j), 0.0);
}

TEST(Softmax, IsFiniteForLargeExponents) {
  Rows<float> x(1, 16);
  x(0, 0) = -1e30F;
  x(0, 1) = 1e30F;
  apply_softmax(x, 0, 1, 2);
  EXPECT_NEAR(x(0, 0), 0.0F, 1e-30F);
  EXPECT_EQ(x(0, 1), 1.0F);
}

TEST(Softmax, HasTheAdjointOfItsDifferences) {
  constexpr double kStep = 1e-6;
  const std::array<double, 3> exponents{0.2, -0.5, 1.1};
  const std::array<double, 3> seed{1.0, -2.0, 0.5};
  const auto value = [&](const std::array<double, 3>& at) {
    Rows<double> x(1, 16);
    std::copy(at.begin(), at.end(), x.data());
    apply_softmax(x, 0, 1, 3);
    return seed[0] * x(0, 0) + seed[1] * x(0, 1) + seed[2] * x(0, 2);
  };
  Rows<double> shares(1, 16);
  std::copy(exponents.begin(), exponents.end(), shares.data());
  apply_softmax(shares, 0, 1, 3);
  std::array<double, 3> adjoint = seed;
  softmax_adjoint(shares.row(0), 3, adjoint.data());
  for (std::size_t j = 0; j < 3; ++j) {
    auto above = exponents;
    auto below = exponents;
    above[j] += kStep;
    below[j] -= kStep;
    EXPECT_NEAR(adjoint[j], (value(above) - value(below)) / (2.0 * kStep), 1e-9);
  }
}

Norm<double> norm_of_three() {
  Norm<double> norm;
  norm.gain = Eigen::ArrayXd{{1.0, 2.0, -0.5}};
  norm.offset = Eigen::ArrayXd{{0.0, 10.0, 0.0}};
  return norm;
}

TEST(LayerNorm, StandardisesRowsAndAppliesGainAndOffset) {
  Rows<double> x(1, 3);
  x(0, 0) = 1.0;
  x(0, 1) = 2.0;
  x(0, 2) = 6.0;  // mean 3, variance 14 / 3
  NormPass<double> pass;
  Rows<double> y;
  apply_norm(norm_of_three(), x, pass, y);
  const double sd = std::sqrt(14.0 / 3.0 + 1e-5);
  EXPECT_NEAR(y(0, 0), -2.0 / sd, 1e-15);
  EXPECT_NEAR(y(0, 1), 10.0 - 2.0 / sd, 1e-14);
  EXPECT_NEAR(y(0, 2), -0.5 * 3.0 / sd, 1e-15);
}

TEST(LayerNorm, HasTheAdjointOfItsDifferences) {
  constexpr double kStep = 1e-6;
  Rows<double> seed(1, 3);
  seed(0, 0) = 1.0;
  seed(0, 1) = -2.0;
  seed(0, 2) = 0.5;
  Rows<double> x(1, 3);
  x(0, 0) = 1.0;
  x(0, 1) = 2.0;
  x(0, 2) = 6.0;
  NormPass<double> pass;
  Rows<double> y;
  const auto value = [&] {
    apply_norm(norm_of_three(), x, pass, y);
    return seed(0, 0) * y(0, 0) + seed(0, 1) * y(0, 1) + seed(0, 2) * y(0, 2);
  };
  value();
  Rows<double> adjoint(1, 3);
  adjoint(0, 0) = adjoint(0, 1) = adjoint(0, 2) = 100.0;  // to be added to
  norm_adjoint(norm_of_three(), pass, seed, adjoint);
  for (Index j = 0; j < 3; ++j) {
    const double at = x(0, j);
    x(0, j) = at + kStep;
    const double above = value();
    x(0, j) = at - kStep;
    const double below = value();
    x(0, j) = at;
    EXPECT_NEAR(adjoint(0, j), 100.0 + (above - below) / (2.0 * kStep), 1e-8);
  }
}

}  // namespace
}  // namespace oscbo::in_context
