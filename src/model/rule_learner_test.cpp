#include "model/rule_learner.hpp"

#include <gtest/gtest.h>

#include "learners/learner_options.hpp"
#include "learners/sharp_options.hpp"
#include "model/model_test_support.hpp"

namespace oscbo::model {
namespace {

using learners::test::growing_by_a_tenth;

/// round_for returns the round for the first n points.
GpRound round_for(RuleLearner& learner, const test::Data& data, Index n, int round) {
  const test::Data known{.X = data.X.topRows(n), .y = data.y.head(n)};
  return test::next_round(learner, known, round);
}

TEST(RuleLearner, KeepsItsLengthscalesAndSaysWhatTheModelGrowsFrom) {
  const test::Data data = test::smooth_data(60, 2, 1);
  Config config = growing_by_a_tenth(20);
  config.learner = "mll";
  RuleLearner learner(config, gp::Layout::plain(2), test::kSeed);
  const GpRound learned = round_for(learner, data, 40, 1);
  EXPECT_EQ(learned.settings.base, 0);
  const int evaluations = learner.evaluations();
  const GpRound kept = round_for(learner, data, 43, 2);
  EXPECT_EQ(kept.settings.theta, learned.settings.theta);
  EXPECT_EQ(kept.settings.base, 40);
  EXPECT_EQ(learner.evaluations(), evaluations);
  const GpRound again = round_for(learner, data, 44, 3);
  EXPECT_NE(again.settings.theta, learned.settings.theta);
  EXPECT_EQ(again.settings.base, 0);
}

TEST(RuleLearner, LearnsAnewWhenPredictionsMiss) {
  const test::Data data = test::smooth_data(60, 2, 1);
  Config config = growing_by_a_tenth(20);
  config.learner = "mll";
  RuleLearner learner(config, gp::Layout::plain(2), test::kSeed);
  round_for(learner, data, 40, 1);
  for (Index i = 0; i < 4; ++i) {
    EXPECT_EQ(round_for(learner, data, 41, 2).settings.base, 40);
    learner.observe_prediction({.point = i, .calibration_loss = 1.0});
  }
  EXPECT_EQ(round_for(learner, data, 41, 3).settings.base, 0);
}

TEST(RuleLearner, AddsLaterPointsToAModelOfSome) {
  const test::Data data = test::smooth_data(60, 2, 1);
  Config config = growing_by_a_tenth(20);
  config.learner = "sharp-calibrated";
  config.edit<learners::SharpOptions>().condition = learners::SharpOptions::Condition::training;
  RuleLearner learner(config, gp::Layout::plain(2), test::kSeed);
  const GpRound learned = round_for(learner, data, 50, 1);
  ASSERT_EQ(learned.settings.points.size(), 40U);
  EXPECT_EQ(round_for(learner, data, 51, 2).settings.points.size(), 41U);
  const GpRound kept = round_for(learner, data, 53, 3);
  EXPECT_EQ(kept.settings.base, 40);
  std::vector<Index> expected = learned.settings.points;
  expected.insert(expected.end(), {50, 51, 52});
  EXPECT_EQ(kept.settings.points, expected);
}

}  // namespace
}  // namespace oscbo::model
