#include "online/growth.hpp"

#include <gtest/gtest.h>

namespace oscbo::online {
namespace {

TEST(ScheduleGrowth, JumpsToTheSquareRootAfterFiveRounds) {
  const ScheduleOptions config;
  for (const double t : {1.0, 4.0, 5.0}) EXPECT_EQ(schedule_growth(config, t), 1.0);
  EXPECT_DOUBLE_EQ(schedule_growth(config, 6), 2.449489742783178);
  EXPECT_DOUBLE_EQ(schedule_growth(config, 100), 10.0);
}

TEST(ScheduleGrowth, IsAPowerAboveAConstant) {
  const ScheduleOptions config{
      .growth = ScheduleOptions::Growth::power, .growth_constant = 3.0, .growth_exponent = 0.25};
  EXPECT_EQ(schedule_growth(config, 1), 3.0);
  EXPECT_EQ(schedule_growth(config, 80), 3.0);
  EXPECT_DOUBLE_EQ(schedule_growth(config, 256), 4.0);
}

TEST(ScheduleGrowth, IsAlmostLinearWhenFast) {
  const ScheduleOptions config{.growth = ScheduleOptions::Growth::fast};
  EXPECT_EQ(schedule_growth(config, 1), 1.0);
  EXPECT_NEAR(schedule_growth(config, 6), 5.015752812467621, 1e-12);
  EXPECT_NEAR(schedule_growth(config, 100), 63.095734448019336, 1e-12);
}

TEST(BalancingGrowth, JumpsToItsStartAndWaitsForTheSquareRoot) {
  EXPECT_EQ(balancing_growth(5, 5), 1.0);
  EXPECT_EQ(balancing_growth(5, 6), 5.0);
  EXPECT_EQ(balancing_growth(5, 25), 5.0);
  EXPECT_DOUBLE_EQ(balancing_growth(5, 36), 6.0);
  EXPECT_DOUBLE_EQ(balancing_growth(5, 100), 10.0);
  EXPECT_EQ(balancing_growth(1, 1), 1.0);
  EXPECT_DOUBLE_EQ(balancing_growth(1, 4), 2.0);
}

TEST(InflatedNorm, IsAPowerOfTheFactorWithinLimits) {
  EXPECT_EQ(inflated_norm(3.0, 1.0, 6.0), 3.0);
  EXPECT_DOUBLE_EQ(inflated_norm(3.0, 4.0, 1.5), 24.0);
  EXPECT_EQ(inflated_norm(3.0, 10.0, 500.0), 1e150);
}

}  // namespace
}  // namespace oscbo::online
