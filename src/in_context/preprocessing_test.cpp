#include "in_context/preprocessing.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace oscbo::in_context {
namespace {

TEST(YeoJohnson, HasItsClosedForms) {
  EXPECT_DOUBLE_EQ(yeo_johnson(3.0, 1.0), 3.0);
  EXPECT_DOUBLE_EQ(yeo_johnson(-3.0, 1.0), -3.0);
  EXPECT_DOUBLE_EQ(yeo_johnson(3.0, 2.0), 7.5);  // (4^2 - 1) / 2
  EXPECT_DOUBLE_EQ(yeo_johnson(-3.0, 0.0), -7.5);
  EXPECT_DOUBLE_EQ(yeo_johnson(3.0, 0.0), std::log(4.0));
  EXPECT_DOUBLE_EQ(yeo_johnson(-3.0, 2.0), -std::log(4.0));
}

TEST(YeoJohnson, HasTheSlopeOfItsDifferences) {
  constexpr double kStep = 1e-6;
  for (const double exponent : {-3.0, 0.0, 0.7, 2.0, 4.5}) {
    for (const double x : {-2.5, -0.3, 0.4, 3.0}) {
      const double difference =
          (yeo_johnson(x + kStep, exponent) - yeo_johnson(x - kStep, exponent)) / (2.0 * kStep);
      EXPECT_NEAR(yeo_johnson_slope(x, exponent), difference, 1e-6 * (1.0 + std::abs(difference)));
    }
  }
}

TEST(LikeliestExponent, IsNearOneForSymmetricValuesAndLessForALongUpperTail) {
  EXPECT_NEAR(likeliest_exponent(std::vector{-2.0, -1.0, 0.0, 1.0, 2.0}), 1.0, 1e-6);
  EXPECT_LT(likeliest_exponent(std::vector{0.0, 0.1, 0.2, 0.4, 5.0}), 0.0);
  EXPECT_EQ(likeliest_exponent(std::vector{3.0, 3.0}), 1.0);
}

TEST(FeatureScale, StandardisesWithThePopulationStandardDeviation) {
  const FeatureScale scale(std::vector{1.0, 3.0}, Normalisation::none);
  EXPECT_NEAR(scale.apply(3.0), 1.0, 2e-6);
  EXPECT_NEAR(scale.apply(2.0), 0.0, 1e-15);
  EXPECT_NEAR(scale.slope(2.5), 1.0, 2e-6);
}

TEST(FeatureScale, ClipsFarValuesSoftly) {
  const FeatureScale scale(std::vector{-1.0, 1.0}, Normalisation::none);
  EXPECT_NEAR(scale.upper(), 4.0 * std::sqrt(2.0), 1e-5);
  EXPECT_NEAR(scale.apply(20.0), scale.upper() + std::log1p(20.0), 1e-5);
  EXPECT_NEAR(scale.apply(-20.0), scale.lower() - std::log1p(20.0), 1e-5);
  EXPECT_NEAR(scale.slope(1000.0), 0.0, 0.0) << "beyond 100 standard deviations";
}

TEST(FeatureScale, HasTheSlopeOfItsDifferences) {
  constexpr double kStep = 1e-6;
  const std::vector<double> x{0.1, 0.2, 0.25, 0.9, 0.4, 0.35};
  for (const Normalisation normalisation : {Normalisation::none, Normalisation::power}) {
    const FeatureScale scale(x, normalisation);
    for (const double at : {-30.0, -2.0, 0.0, 0.3, 0.8, 3.0, 20.0}) {
      const double difference = (scale.apply(at + kStep) - scale.apply(at - kStep)) / (2.0 * kStep);
      EXPECT_NEAR(scale.slope(at), difference, 1e-5 * (1.0 + std::abs(difference))) << at;
    }
  }
}

TEST(FeatureScale, AcceptsOneValueAndEqualValues) {
  for (const Normalisation normalisation : {Normalisation::none, Normalisation::power}) {
    for (const std::vector<double>& x : {std::vector{0.5}, std::vector{0.5, 0.5, 0.5}}) {
      const FeatureScale scale(x, normalisation);
      EXPECT_EQ(scale.apply(0.5), 0.0);
      EXPECT_TRUE(std::isfinite(scale.apply(0.7)));
      EXPECT_TRUE(std::isfinite(scale.slope(0.7)));
    }
  }
}

TEST(VaryingColumns, LeaveOutThoseWithOneValue) {
  Rows<double> X(2, 3);
  X.set_zero();
  X(1, 0) = 1.0;
  X(1, 2) = 1.0;
  EXPECT_EQ(varying_columns(X), (std::vector<Index>{0, 2}));
  X.set_zero();
  EXPECT_EQ(varying_columns(X), (std::vector<Index>{0}));
  Rows<double> single(1, 2);
  single.set_zero();
  EXPECT_EQ(varying_columns(single), (std::vector<Index>{0, 1}));
}

TEST(TargetScale, HasScaleOneForEqualValues) {
  const TargetScale scale(std::vector{0.3, 0.3, 0.3}, /*rounds_first=*/true);
  EXPECT_EQ(scale.scale(), 1.0);
  EXPECT_NEAR(scale.standardised(0.3), 0.0, 1e-7);
}

TEST(TargetScale, TellsCloseValuesApartUnlessItRoundsThem) {
  const std::vector y{2.0, 2.0 + 1e-9, 2.0 - 1e-9};
  const TargetScale exact(y, /*rounds_first=*/false);
  EXPECT_NEAR(exact.scale(), 1e-9 * std::sqrt(2.0 / 3.0), 1e-14);
  EXPECT_NEAR(exact.standardised(y[1]), std::sqrt(1.5), 1e-5);
  EXPECT_EQ(TargetScale(y, /*rounds_first=*/true).scale(), 1.0);
}

}  // namespace
}  // namespace oscbo::in_context
