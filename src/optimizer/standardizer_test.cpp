#include "optimizer/standardizer.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace oscbo {
namespace {

std::vector<double> z_scores(const std::vector<double>& y) {
  const Standardizer standardizer = Standardizer::of(y);
  std::vector<double> z;
  for (const double value : y) z.push_back(standardizer.to_z(value));
  return z;
}

TEST(Standardizer, GivesMeanZeroAndSampleVarianceOne) {
  const std::vector<double> z = z_scores({1.0, 2.0, 4.0, -3.0});
  // Mean 1, deviations 0, 1, 3, -4, sample variance 26/3.
  const double sd = std::sqrt(26.0 / 3.0);
  EXPECT_NEAR(z[0], 0.0, 1e-15);
  EXPECT_NEAR(z[1], 1.0 / sd, 1e-15);
  EXPECT_NEAR(z[2], 3.0 / sd, 1e-15);
  EXPECT_NEAR(z[3], -4.0 / sd, 1e-15);
}

TEST(Standardizer, DoesNotDependOnUnits) {
  const std::vector<double> y = {1.0, 2.0, 4.0, -3.0};
  const std::vector<double> z = z_scores(y);
  for (const double unit : {0x1p-1000, 0x1p-10, 0x1p10, 0x1p1000}) {
    std::vector<double> scaled;
    for (const double value : y) scaled.push_back(unit * value);
    EXPECT_EQ(z_scores(scaled), z);
  }
}

TEST(Standardizer, TakesSdOneForOneValueAndForEqualOnes) {
  for (const double y : {5.0, -1e300, 1e-300, 0.0, 5e-324, std::numeric_limits<double>::max()}) {
    EXPECT_EQ(z_scores({y}), std::vector<double>(1, 0.0));
    EXPECT_EQ(Standardizer::of(std::vector{y}).sd, 1.0);
    const std::vector<double> copies(7, y);
    EXPECT_EQ(Standardizer::of(copies).sd, 1.0);
    for (const double z : z_scores(copies)) EXPECT_NEAR(z, 0.0, 1e-15);
  }
}

TEST(Standardizer, TreatsDifferencesBelowRoundingAsNone) {
  EXPECT_EQ(Standardizer::of(std::vector{1.0, 1.0 + 1e-15, 1.0}).sd, 1.0);
  EXPECT_LT(Standardizer::of(std::vector{1.0, 1.0 + 1e-12, 1.0}).sd, 1e-11);
}

TEST(Standardizer, StaysFiniteAnywhereInTheRangeOfDouble) {
  const double largest = std::numeric_limits<double>::max();
  for (const std::vector<double>& y :
       {std::vector{largest, -largest, 0.0}, std::vector{1e300, 1e-300, -1e-300, 1.0},
        std::vector{5e-324, 0.0, -5e-324}, std::vector{largest, 5e-324}}) {
    double squares = 0.0;
    for (const double z : z_scores(y)) squares += z * z;
    EXPECT_NEAR(squares, static_cast<double>(y.size() - 1), 1e-12);
  }
}

TEST(Standardizer, SaysTheLargestNumberForWhatIsBeyondIt) {
  const double largest = std::numeric_limits<double>::max();
  const Standardizer standardizer = Standardizer::of(std::vector{largest, -largest, 0.0});
  EXPECT_EQ(standardizer.from_z(3.0), largest);
  EXPECT_EQ(standardizer.from_z(-3.0), -largest);
  EXPECT_EQ(standardizer.length_from_z(3.0), largest);
  EXPECT_LT(standardizer.from_z(0.5), largest);
}

TEST(Standardizer, RoundTrips) {
  const std::vector<double> y = {3e8, -2e8, 1e9, 0.5};
  const Standardizer standardizer = Standardizer::of(y);
  for (const double value : y) {
    EXPECT_NEAR(standardizer.from_z(standardizer.to_z(value)), value, 1e-15 * 1e9);
  }
  EXPECT_NEAR(standardizer.length_from_z(2.0), standardizer.from_z(3.0) - standardizer.from_z(1.0),
              1e-15 * 1e9);
}

}  // namespace
}  // namespace oscbo
