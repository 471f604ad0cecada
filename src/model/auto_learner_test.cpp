#include "model/auto_learner.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "learners/learner_options.hpp"
#include "model/auto_options.hpp"
#include "model/model_test_support.hpp"
#include "online/game_options.hpp"

namespace oscbo::model {
namespace {

using test::auto_settings;
using test::kSeed;
using test::next_round;
using test::noisy_data;

GpRound first_round(const test::Data& data) {
  AutoLearner learner(auto_settings(), gp::Layout::plain(data.X.cols()), kSeed);
  return next_round(learner, data, 1);
}

PredictionFeedback feedback(bool missed) { return {.calibration_loss = missed ? 0.5 : -0.5}; }

// log lambda moves by rate (missed - delta), so nine hits cancel a miss.
TEST(AutoLearner, WidensItsPredictionsAfterMissesAndNarrowsThemAfterHits) {
  const test::Data data = test::smooth_data(12, 2, 1);
  AutoLearner learner(auto_settings(), gp::Layout::plain(2), kSeed);
  EXPECT_EQ(next_round(learner, data, 1).inflation, 1.0);
  learner.observe_prediction(feedback(true));
  EXPECT_NEAR(next_round(learner, data, 1).inflation, std::exp(0.45), 1e-12);
  EXPECT_NEAR(*learner.game().multiplier, std::exp(0.45), 1e-12);
  for (int i = 0; i < 9; ++i) learner.observe_prediction(feedback(false));
  EXPECT_NEAR(next_round(learner, data, 1).inflation, 1.0, 1e-12);
}

TEST(AutoLearner, BeginsWithTheMultiplierItIsGiven) {
  Config config = auto_settings();
  config.edit<online::DualOptions>().start = online::DualOptions::Start::number;
  config.edit<online::DualOptions>().start_value = 4.0;
  AutoLearner learner(config, gp::Layout::plain(2), kSeed);
  EXPECT_NEAR(next_round(learner, test::smooth_data(12, 2, 1), 1).inflation, 4.0, 1e-12);
}

TEST(AutoLearner, LooksNearTheBestPointEverySecondRound) {
  const test::Data data = test::smooth_data(60, 2, 1);
  AutoLearner learner(auto_settings(), gp::Layout::plain(2), kSeed);
  EXPECT_TRUE(next_round(learner, data, 1).settings.points.empty());
  const GpRound near = next_round(learner, data, 2);
  ASSERT_EQ(near.settings.points.size(), 18U);  // 0.3 n
  Index best = 0;
  data.y.maxCoeff(&best);
  EXPECT_EQ(near.settings.points.front(), best);
  for (const Index i : near.settings.points) {
    for (Index k = 0; k < 2; ++k) {
      EXPECT_GE(data.X(i, k), near.plan.lower[k]);
      EXPECT_LE(data.X(i, k), near.plan.upper[k]);
    }
  }
  EXPECT_LT((near.plan.upper - near.plan.lower).maxCoeff(), 1.0);
  EXPECT_TRUE(next_round(learner, data, 3).settings.points.empty());
}

TEST(AutoLearner, LooksNearTheBestPointOverAllKindsOfParameters) {
  const test::Data data = test::mixed_data(60);
  const gp::Layout layout = test::mixed_layout();
  AutoLearner learner(auto_settings(), layout, kSeed);
  const Vector l = next_round(learner, data, 1).settings.theta.head(layout.parameters());
  const GpRound near = next_round(learner, data, 2);
  ASSERT_EQ(near.settings.points.size(), 18U);

  Index best = 0;
  data.y.maxCoeff(&best);
  const auto distance = [&](Index i) {
    const Vector d = data.X.row(i) - data.X.row(best);
    return std::hypot(d[0] / l[0], (d[1] == 0.0 ? 0.0 : 1.0) / l[1], d.tail(2).norm() / l[2]);
  };
  double previous = 0.0;
  for (const Index i : near.settings.points) {
    EXPECT_GE(distance(i), previous - 1e-12);
    previous = distance(i);
  }
  for (Index i = 0; i < 60; ++i) {
    if (std::ranges::count(near.settings.points, i) == 0) {
      EXPECT_GE(distance(i), previous - 1e-12);
    }
  }

  ASSERT_EQ(near.plan.lower.size(), layout.parameters());
  ASSERT_EQ(near.plan.upper.size(), layout.parameters());
  EXPECT_LT(near.plan.upper[0] - near.plan.lower[0], 1.0);
  for (const Index p : {1, 2}) {
    EXPECT_EQ(near.plan.lower[p], 0.0);
    EXPECT_EQ(near.plan.upper[p], 1.0);
  }
}

/// two_hills has two hills in a plane, the higher one at (0.2, 0.2).
test::Data two_hills(Index n) {
  test::Data data = test::smooth_data(n, 2, 1);
  const auto hill = [](const Vector& x, double centre) {
    return std::exp(-40.0 * (x.array() - centre).square().sum());
  };
  for (Index i = 0; i < n; ++i) {
    data.y[i] = hill(data.point(i), 0.2) + 0.8 * hill(data.point(i), 0.8);
  }
  return data;
}

constexpr double kHopeless = -50.0;  // log of an expected improvement

Config without_near_best_rounds() {
  return auto_settings([](AutoOptions& a) { a.near_best_every = 0; });
}

TEST(AutoLearner, LocksAHillThatPromisesNothingAndLooksBeyondIt) {
  const test::Data data = two_hills(60);
  AutoLearner learner(without_near_best_rounds(), gp::Layout::plain(2), kSeed);
  next_round(learner, data, 1);
  learner.observe_suggestion(0.0);
  EXPECT_TRUE(next_round(learner, data, 2).plan.excluded.empty());
  learner.observe_suggestion(kHopeless);
  const GpRound beyond = next_round(learner, data, 3);
  ASSERT_EQ(beyond.plan.excluded.size(), 1U);
  EXPECT_FALSE(beyond.settings.points.empty());
  EXPECT_LT(beyond.settings.points.size(), 60U);
  Index best = 0;
  data.y.maxCoeff(&best);
  const gp::Inputs inputs = data.inputs();
  EXPECT_TRUE(beyond.plan.excluded.front()->contains(inputs.point(best)));
  for (const Index i : beyond.settings.points) {
    EXPECT_FALSE(beyond.plan.excluded.front()->contains(inputs.point(i)));
  }
  EXPECT_EQ(next_round(learner, data, 4).plan.excluded.size(), 1U);
  learner.observe_suggestion(0.0);
  const GpRound back = next_round(learner, data, 5);  // every fifth round
  EXPECT_TRUE(back.plan.excluded.empty());
  EXPECT_EQ(back.settings.points.front(), best);
  EXPECT_EQ(next_round(learner, data, 6).plan.excluded.size(), 1U) << "a hill is locked once";
}

// The other suggestions of a batch depend on points that have no value yet.
TEST(AutoLearner, JudgesAHillByTheFirstSuggestionOfAFit) {
  const test::Data data = two_hills(60);
  AutoLearner learner(without_near_best_rounds(), gp::Layout::plain(2), kSeed);
  next_round(learner, data, 1);
  learner.observe_suggestion(0.0);
  learner.observe_suggestion(kHopeless);
  EXPECT_TRUE(next_round(learner, data, 3).plan.excluded.empty());
}

// With batches of two, only every second round has a model.
TEST(AutoLearner, LooksAtEverythingAndNearTheBestPointByTurnsInBatchesToo) {
  const test::Data data = test::smooth_data(60, 2, 1);
  AutoLearner learner(auto_settings(), gp::Layout::plain(2), kSeed);
  for (const int round : {2, 6, 10}) {
    EXPECT_TRUE(next_round(learner, data, round).settings.points.empty());
    EXPECT_FALSE(next_round(learner, data, round + 2).settings.points.empty());
  }
}

/// points_looked_at returns the number of observations in the models of these rounds, with points
/// pending; 0 means all.
std::vector<std::size_t> points_looked_at(const Config& config, int first, int last, int pending) {
  const test::Data data = test::smooth_data(60, 2, 1);
  AutoLearner learner(config, gp::Layout::plain(2), kSeed);
  std::vector<std::size_t> counts;
  for (int round = first; round <= last; ++round) {
    counts.push_back(next_round(learner, data, round, {}, pending).settings.points.size());
  }
  return counts;
}

TEST(AutoLearner, LooksTwiceAsFarEveryOtherTimeWhilePointsArePending) {
  using Counts = std::vector<std::size_t>;
  EXPECT_EQ(points_looked_at(auto_settings(), 1, 8, 0), (Counts{0, 18, 0, 18, 0, 18, 0, 18}));
  EXPECT_EQ(points_looked_at(auto_settings(), 1, 8, 3), (Counts{0, 36, 0, 18, 0, 36, 0, 18}));
}

TEST(AutoLearner, RefinesWhenTheBudgetLeavesNoTimeForWhatPendingPointsBring) {
  using Counts = std::vector<std::size_t>;
  Config config = auto_settings();
  config.budget = 20;
  EXPECT_EQ(points_looked_at(config, 15, 22, 1), (Counts{0, 36, 18, 18, 18, 18, 0, 36}))
      << "the last 2 (1 + 1) rounds; what is asked past the budget has no last one";
  EXPECT_EQ(points_looked_at(config, 15, 22, 0), (Counts{0, 18, 0, 18, 0, 18, 0, 18}));
  config.edit<AutoOptions>().near_best_every = 0;
  EXPECT_EQ(points_looked_at(config, 15, 22, 1), Counts(8, 0));
}

TEST(AutoLearner, OpensAllHillsAgainWhenLittleIsLeft) {
  const test::Data data = two_hills(60);
  AutoLearner learner(auto_settings(), gp::Layout::plain(2), kSeed);
  std::size_t most = 0;
  bool opened = false;
  for (int round = 1; round < 200 && !opened; ++round) {
    if (round % 5 == 0) next_round(learner, data, round++);  // returns to the best hill
    const std::size_t hills = next_round(learner, data, round).plan.excluded.size();
    opened = hills < most;
    most = std::max(most, hills);
    learner.observe_suggestion(kHopeless);
  }
  EXPECT_GT(most, 0U);
  EXPECT_TRUE(opened);
}

TEST(AutoLearner, NeverLocksWhereParametersAreNotNumeric) {
  const test::Data data = test::mixed_data(60);
  AutoLearner learner(without_near_best_rounds(), test::mixed_layout(), kSeed);
  for (int round = 1; round < 6; ++round) {
    const GpRound settings = next_round(learner, data, round);
    EXPECT_TRUE(settings.plan.excluded.empty());
    EXPECT_TRUE(settings.settings.points.empty());
    learner.observe_suggestion(kHopeless);
  }
}

TEST(AutoLearner, NeverLocksWhenToldNotTo) {
  const test::Data data = two_hills(60);
  AutoLearner learner(auto_settings([](AutoOptions& a) { a.locks_below = 0.0; }),
                      gp::Layout::plain(2), kSeed);
  for (int round = 1; round < 9; round += 2) {
    EXPECT_TRUE(next_round(learner, data, round).plan.excluded.empty());
    learner.observe_suggestion(kHopeless);
  }
}

TEST(AutoLearner, LooksAtEverythingAndAsksForAMarginWhenThereIsNoise) {
  const test::Data data = noisy_data(60, 0.5);
  AutoLearner learner(auto_settings(), gp::Layout::plain(2), kSeed);
  for (int round = 1; round < 7; ++round) {
    const GpRound settings = next_round(learner, data, round);
    EXPECT_TRUE(settings.settings.points.empty());
    EXPECT_TRUE(settings.plan.excluded.empty());
    EXPECT_EQ(settings.plan.margin, std::sqrt(*settings.settings.noise_variance));
    learner.observe_suggestion(kHopeless);
  }
  const GpRound clean = first_round(noisy_data(60, 0.0));
  EXPECT_EQ(clean.plan.margin, 0.0);
}

TEST(AutoLearner, AsksForAMarginWhenObservationsAreKnownToBeNoisy) {
  const test::Data data = noisy_data(60, 0.5);
  const std::vector<double> noise = test::known_noise(60, 0.25);
  AutoLearner learner(auto_settings(), gp::Layout::plain(2), kSeed);
  const GpRound settings = next_round(learner, data, 1, noise);
  EXPECT_NEAR(settings.plan.margin, 0.5 / settings.settings.affine.scale, 1e-12);
  EXPECT_TRUE(next_round(learner, data, 2, noise).settings.points.empty());
}

TEST(AutoLearner, KeepsTheModelOfManyObservationsAndTheHillsOpen) {
  const test::Data data = two_hills(60);
  Config config = auto_settings();
  config.edit<learners::RefitOptions>() = {.growth = 0.5, .after = 30};
  AutoLearner learner(config, gp::Layout::plain(2), kSeed);
  const auto settings_of = [&](Index n, int round) {
    const test::Data known{.X = data.X.topRows(n), .y = data.y.head(n)};
    return next_round(learner, known, round);
  };
  const GpRound learned = settings_of(40, 1);
  EXPECT_EQ(learned.settings.base, 0);
  learner.observe_suggestion(
      -100.0);  // no gain is left: with few observations, this would lock the hill
  const GpRound near_best = settings_of(41, 2);
  EXPECT_FALSE(near_best.settings.points.empty());
  EXPECT_EQ(near_best.settings.base, 0);
  const GpRound kept = settings_of(42, 3);
  EXPECT_EQ(kept.settings.theta, learned.settings.theta);
  EXPECT_EQ(kept.settings.noise_variance, learned.settings.noise_variance);
  EXPECT_EQ(kept.settings.base, 40);
  EXPECT_TRUE(kept.plan.excluded.empty());
  settings_of(59, 4);
  EXPECT_EQ(settings_of(60, 5).settings.base, 0) << "half as many again";
}

TEST(AutoLearner, LearnsAnewWhenTheModelOfManyObservationsMisses) {
  const test::Data data = two_hills(60);
  Config config = auto_settings();
  config.edit<learners::RefitOptions>() = {.growth = 0.5, .after = 30};
  AutoLearner learner(config, gp::Layout::plain(2), kSeed);
  const GpRound learned = next_round(learner, data, 1);
  const auto miss = [&](const Vector& theta) {
    learner.observe_prediction(
        {.theta = {theta.begin(), theta.begin() + 2}, .calibration_loss = 1.0});
  };
  const GpRound near_best = next_round(learner, data, 2);
  for (int i = 0; i < 5; ++i) miss(near_best.settings.theta);
  EXPECT_EQ(next_round(learner, data, 3).settings.base, 60) << "another model has missed";
  for (int i = 0; i < 5; ++i) miss(learned.settings.theta);
  next_round(learner, data, 4);
  EXPECT_EQ(next_round(learner, data, 5).settings.base, 0);
}

TEST(AutoLearner, GivesAModelOfEverythingInAnyRound) {
  const test::Data data = test::smooth_data(60, 2, 1);
  const gp::Inputs inputs = data.inputs();
  AutoLearner learner(auto_settings(), gp::Layout::plain(2), kSeed);
  next_round(learner, data, 1);
  ASSERT_FALSE(next_round(learner, data, 2).settings.points.empty());
  const GpRound whole = learner.all({.inputs = inputs, .y = data.y, .initial_points = 60}, 2);
  EXPECT_TRUE(whole.settings.points.empty());
  EXPECT_EQ(whole.plan.lower.size(), 0);
}

}  // namespace
}  // namespace oscbo::model
