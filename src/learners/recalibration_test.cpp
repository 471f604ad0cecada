#include "learners/recalibration.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace oscbo::learners {
namespace {

constexpr double kNormal90 = 1.2815515655446004;  // Phi^{-1}(0.9), from tables
const RecalibrationOptions kEmpirical;

RecalibrationOptions sequential(double rate) {
  RecalibrationOptions config;
  config.kind = RecalibrationOptions::Kind::sequential;
  config.rate = rate;
  return config;
}

double level(const std::vector<double>& transforms, double delta,
             const RecalibrationOptions& config) {
  return calibrated_level(transforms, delta, config);
}

double multiplier(const std::vector<double>& transforms, double delta,
                  const RecalibrationOptions& config) {
  return recalibrated_multiplier(transforms, delta, config);
}

TEST(NominalMultiplier, IsTheNormalQuantile) {
  EXPECT_NEAR(nominal_multiplier(0.1), kNormal90, 1e-14);
  EXPECT_NEAR(nominal_multiplier(0.5), 0.0, 1e-15);
  EXPECT_NEAR(nominal_multiplier(0.9), -kNormal90, 1e-14);
  EXPECT_GT(nominal_multiplier(1e-20), 9.0) << "must be finite although 1 - delta rounds to 1";
}

TEST(ProbabilityTransform, IsTheGaussianDistributionFunction) {
  EXPECT_EQ(probability_transform(2.0, 2.0, 0.3), 0.5);
  EXPECT_NEAR(probability_transform(3.0 + 2.0 * kNormal90, 3.0, 2.0), 0.9, 1e-15);
}

// --- empirical ---------------------------------------------------------------------------------

TEST(EmpiricalLevel, IsTheQuantileOfTheTransforms) {
  EXPECT_NEAR(level({0.7, 0.2, 0.4}, 0.1, kEmpirical), 0.64, 1e-15);  // 0.4 + 0.8 * 0.3
  EXPECT_NEAR(level({0.7, 0.2, 0.4}, 0.5, kEmpirical), 0.4, 1e-15);
  EXPECT_NEAR(level({0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99}, 0.1, kEmpirical),
              0.95, 1e-15);
}

TEST(EmpiricalLevel, IsClipped) {
  EXPECT_EQ(level({1.0, 1.0, 1.0}, 0.1, kEmpirical), 1.0 - 1e-4);
  EXPECT_EQ(level({0.0, 0.0, 0.0}, 0.1, kEmpirical), 1e-4);
}

TEST(EmpiricalMultiplier, IsTheNormalQuantileOfTheLevel) {
  EXPECT_NEAR(multiplier({0.9, 0.9, 0.9}, 0.1, kEmpirical), kNormal90, 1e-14);
  EXPECT_NEAR(multiplier({0.1, 0.1, 0.1}, 0.1, kEmpirical), -kNormal90, 1e-14)
      << "without a floor it may be negative";
  EXPECT_NEAR(multiplier({1.0, 1.0, 1.0}, 0.1, kEmpirical), 3.7190164854556804, 1e-9);
}

TEST(EmpiricalMultiplier, HasAFloorIfConfigured) {
  RecalibrationOptions config;
  config.floor = 0.0;
  EXPECT_EQ(multiplier({0.1, 0.1, 0.1}, 0.1, config), 0.0);
  EXPECT_NEAR(multiplier({0.9, 0.9, 0.9}, 0.1, config), kNormal90, 1e-14);
}

// --- sequential --------------------------------------------------------------------------------

// p = 0.9 and rate = 0.5. 0.7 <= 0.9 gives q = 0.9 - 0.05 = 0.85. 0.86 > 0.85 gives q = 0.85 +
// 0.45, clamped to 0.999. 0.95 <= 0.999 gives q = 0.999 - 0.05 = 0.949.
TEST(SequentialLevel, FollowsTheUpdateByHand) {
  EXPECT_NEAR(level({0.7, 0.86, 0.95}, 0.1, sequential(0.5)), 0.949, 1e-15);
}

// The order matters. 0.95 > 0.9 gives q = 0.999, and then 0.7 and 0.86 are covered: 0.949, 0.899.
TEST(SequentialLevel, UsesTheTransformsInOrder) {
  EXPECT_NEAR(level({0.95, 0.7, 0.86}, 0.1, sequential(0.5)), 0.899, 1e-15);
}

TEST(SequentialLevel, IsClippedAfterEveryStep) {
  // p = 0.5 and rate = 1. 0 <= 0.5 gives 0, clamped to 0.001. 0 <= 0.001 gives 0.001 again. 0.9
  // gives 0.501.
  EXPECT_NEAR(level({0.0, 0.0, 0.9}, 0.5, sequential(1.0)), 0.501, 1e-15);
}

TEST(SequentialMultiplier, IsPositiveWithAMinimumSquare) {
  // p = 0.5 and rate = 0 give q = 0.5, whose normal quantile is 0.
  EXPECT_NEAR(multiplier({0.1, 0.2, 0.3}, 0.5, sequential(0.0)), std::sqrt(0.1), 1e-15);
  EXPECT_NEAR(multiplier({0.1, 0.2, 0.3}, 0.9, sequential(0.0)), kNormal90, 1e-14);
  RecalibrationOptions config = sequential(0.0);
  config.floor = 2.0;
  EXPECT_EQ(multiplier({0.1, 0.2, 0.3}, 0.9, config), 2.0);
}

// --- both --------------------------------------------------------------------------------------

TEST(Recalibration, NeedsThreeTransforms) {
  for (const RecalibrationOptions& config : {kEmpirical, sequential(1.0)}) {
    for (const std::vector<double>& few :
         {std::vector<double>{}, std::vector<double>{0.2}, std::vector<double>{0.2, 0.3}}) {
      EXPECT_EQ(level(few, 0.1, config), 0.9);
      EXPECT_NEAR(multiplier(few, 0.1, config), kNormal90, 1e-14);
    }
    EXPECT_NE(level({0.2, 0.3, 0.4}, 0.1, config), 0.9);
  }
}

}  // namespace
}  // namespace oscbo::learners
