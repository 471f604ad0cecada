#include "learners/refit_schedule.hpp"

#include <gtest/gtest.h>

#include "learners/learners_test_support.hpp"

namespace oscbo::learners {
namespace {

using test::growing_by_a_tenth;

TEST(RefitSchedule, IsAlwaysDueForFewPointsAndWithoutGrowth) {
  RefitSchedule schedule(growing_by_a_tenth(200));
  RefitSchedule without(Config{});
  for (const Index n : {1, 100, 200}) {
    schedule.refitted(n);
    without.refitted(n);
    EXPECT_TRUE(schedule.is_due(n));
    EXPECT_FALSE(schedule.applies(n));
  }
  EXPECT_TRUE(schedule.applies(201));
  EXPECT_FALSE(schedule.is_due(201));
  EXPECT_TRUE(without.is_due(201));
}

TEST(RefitSchedule, IsDueTheFirstTimeAndAfterTheConfiguredGrowth) {
  RefitSchedule schedule(growing_by_a_tenth(200));
  EXPECT_TRUE(schedule.is_due(1000));
  schedule.refitted(1000);
  EXPECT_EQ(schedule.last(), 1000);
  EXPECT_FALSE(schedule.is_due(1000));
  EXPECT_FALSE(schedule.is_due(1099));
  EXPECT_TRUE(schedule.is_due(1100));
}

TEST(RefitSchedule, IsDueAtOnceIfIntervalsAreContradicted) {
  RefitSchedule schedule(growing_by_a_tenth(200));  // beta = 2: 16 % should miss
  schedule.refitted(1000);
  for (int i = 0; i < 40; ++i) schedule.observe(i % 6 == 0);
  EXPECT_FALSE(schedule.is_due(1001)) << "the number of misses is as expected";
  for (int i = 0; i < 6; ++i) schedule.observe(true);
  EXPECT_FALSE(schedule.is_due(1001)) << "a few more misses are no contradiction";
  for (int i = 0; i < 6; ++i) schedule.observe(true);
  EXPECT_TRUE(schedule.is_due(1001));
  schedule.refitted(1001);
  EXPECT_FALSE(schedule.is_due(1001)) << "misses of the old model must not count for the new one";
}

}  // namespace
}  // namespace oscbo::learners
