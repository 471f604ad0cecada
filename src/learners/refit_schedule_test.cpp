#include "learners/refit_schedule.hpp"

#include <gtest/gtest.h>

#include "learners/learners_test_support.hpp"
#include "learners/scheduled_rule.hpp"

namespace oscbo::learners {
namespace {

Config growing_by_a_tenth(int after) {
  Config config;
  config.refit = {.growth = 0.1, .after = after};
  return config;
}

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

/// Returns the settings for the first n points.
ModelSettings settings_for(RuleHandle& rule, const test::Data& data, Index n, int round) {
  const test::Data known{.X = data.X.topRows(n), .y = data.y.head(n)};
  return test::next_settings(rule, known, round);
}

TEST(ScheduledRule, KeepsItsLengthscalesAndReportsTheBaseOfTheModel) {
  const test::Data data = test::smooth_data(60, 2, 1);
  Config config = growing_by_a_tenth(20);
  config.learner.rule = "mll";
  RuleHandle rule = make_rule(config, gp::Layout::plain(2), test::kSeed);
  const ModelSettings learned = settings_for(rule, data, 40, 1);
  EXPECT_EQ(learned.base, 0);
  const int evaluations = rule->evaluations();
  const ModelSettings kept = settings_for(rule, data, 43, 2);
  EXPECT_EQ(kept.theta, learned.theta);
  EXPECT_EQ(kept.base, 40);
  EXPECT_EQ(rule->evaluations(), evaluations);
  const ModelSettings again = settings_for(rule, data, 44, 3);
  EXPECT_NE(again.theta, learned.theta);
  EXPECT_EQ(again.base, 0);
}

TEST(ScheduledRule, RefitsIfPredictionsMiss) {
  const test::Data data = test::smooth_data(60, 2, 1);
  Config config = growing_by_a_tenth(20);
  config.learner.rule = "mll";
  RuleHandle rule = make_rule(config, gp::Layout::plain(2), test::kSeed);
  settings_for(rule, data, 40, 1);
  for (Index i = 0; i < 4; ++i) {
    EXPECT_EQ(settings_for(rule, data, 41, 2).base, 40);
    rule->observe_prediction({.point = i, .calibration_loss = 1.0});
  }
  EXPECT_EQ(settings_for(rule, data, 41, 3).base, 0);
}

TEST(ScheduledRule, AddsLaterPointsToAModelOfASubset) {
  const test::Data data = test::smooth_data(60, 2, 1);
  Config config = growing_by_a_tenth(20);
  config.learner.rule = "sharp-calibrated";
  config.sharp.condition = ConditionOn::training;
  RuleHandle rule = make_rule(config, gp::Layout::plain(2), test::kSeed);
  const ModelSettings learned = settings_for(rule, data, 50, 1);
  ASSERT_EQ(learned.points.size(), 40U);
  EXPECT_EQ(settings_for(rule, data, 51, 2).points.size(), 41U);
  const ModelSettings kept = settings_for(rule, data, 53, 3);
  EXPECT_EQ(kept.base, 40);
  std::vector<Index> expected = learned.points;
  expected.insert(expected.end(), {50, 51, 52});
  EXPECT_EQ(kept.points, expected);
}

}  // namespace
}  // namespace oscbo::learners
