// The method auto in the loop. These tests cover what the tests of its rule cannot see.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/auto_options.hpp"
#include "numeric/random_stream.hpp"
#include "optimizer/data_options.hpp"
#include "optimizer/optimizer_test_support.hpp"

namespace oscbo {
namespace {

using test::hill;
using test::kSquare;

Optimizer auto_after(int evaluations, double factor = 1.0) {
  Optimizer optimizer(kSquare, test::short_config("auto"), 3);
  for (int i = 0; i < evaluations; ++i) {
    const Suggestion next = optimizer.ask();
    optimizer.tell(next.trial, factor * hill(next.x));
  }
  return optimizer;
}

TEST(Auto, FindsTheTopOfAHill) {
  const Optimizer optimizer = auto_after(30);
  Optimizer random(kSquare, test::short_config("random"), 3);
  test::run(random, 30, hill);
  EXPECT_GT(*optimizer.recommendation().trial.y(), *random.recommendation().trial.y());
}

// The factors are powers of two, so the standardised values are equal in every bit.
TEST(Auto, DoesTheSameWhateverTheUnitsOfTheObservations) {
  const Optimizer plain = auto_after(25);
  const Optimizer scaled = auto_after(25, 1024.0);
  ASSERT_EQ(plain.trials().size(), scaled.trials().size());
  for (std::size_t i = 0; i < plain.trials().size(); ++i) {
    EXPECT_EQ(plain.trials()[i].x, scaled.trials()[i].x);
  }
}

// An observation is inside if |y - mean| <= sqrt(beta) observation_sd with sqrt(beta) = 1.645. Nine
// of ten are inside.
TEST(Auto, PredictsIntervalsOfNinetyPercent) {
  const Optimizer optimizer = auto_after(60);
  int covered = 0;
  int predicted = 0;
  for (const Trial& trial : optimizer.trials()) {
    if (!trial.feedback()) continue;
    ++predicted;
    covered += trial.feedback()->covered ? 1 : 0;
    EXPECT_NEAR(trial.prediction()->width,
                2.0 * 1.6448536269514722 * trial.prediction()->observation_sd,
                1e-9 * trial.prediction()->width);
    EXPECT_GE(trial.feedback()->sharpness_loss, 0.0);
    EXPECT_LE(trial.feedback()->sharpness_loss, 1.0);
  }
  EXPECT_GE(covered, 0.75 * predicted);
  EXPECT_LT(covered, predicted) << "intervals that never fail are too wide";
}

/// auto_with returns the same run with one option changed.
Optimizer auto_with(const std::string& setting, int evaluations) {
  Config config = test::short_config("auto");
  set_option(config, setting);
  Optimizer optimizer(kSquare, config, 3);
  test::run(optimizer, evaluations, hill);
  return optimizer;
}

// The best observation must be in the units of the model, or improvements over it would be
// meaningless. The hill has no noise, so the fitted and the observed best value agree.
TEST(Auto, ImprovesOnTheBestObservationInTheUnitsOfItsModel) {
  const Optimizer fitted = auto_with("acquisition.best=fitted", 12);
  const Optimizer observed = auto_with("acquisition.best=observed", 12);
  EXPECT_NEAR(fitted.trials()[5].prediction()->acquisition,
              observed.trials()[5].prediction()->acquisition, 1e-2);
}

// The expected improvement decides whether a hill is climbed, whatever the acquisition is. On a
// flat hill, all rounds look beyond it except those that return to it.
TEST(Auto, ClimbsHillsUnderEveryAcquisition) {
  for (const char* name : {"ucb", "ei", "logei", "pi", "thompson"}) {
    const std::string acquisition = fmt::format("acquisition={}", name);
    const Optimizer optimizer = auto_with(acquisition, 40);
    double furthest = 0.0;
    for (std::size_t i = 30; i < 40; ++i) {
      const double distance = optimizer.trials()[i].x[0] - optimizer.recommendation().trial.x[0];
      furthest = std::max(furthest, std::abs(distance));
    }
    EXPECT_GT(furthest, 1.0) << acquisition << ": the last rounds are still on the best hill";
  }
}

// This also holds in a round near the best point, in which another model makes the predictions.
TEST(Auto, PredictsWithPendingPointsInMind) {
  Optimizer optimizer = auto_after(8);
  for (int i = 0; i < 2; ++i) {
    Optimizer before = optimizer;
    const Suggestion first = optimizer.ask();
    const Suggestion second = optimizer.ask();
    EXPECT_LT(test::prediction_at(optimizer, first.x).sd,
              0.7 * test::prediction_at(before, first.x).sd);
    optimizer.tell(first.trial, hill(first.x));
    optimizer.tell(second.trial, hill(second.x));
  }
}

/// next_to_pending returns the next suggestion near the best point while x is pending.
std::vector<double> next_to_pending(const Optimizer& before, const std::vector<double>& x) {
  Optimizer optimizer = before;
  optimizer.queue(x);
  optimizer.ask();
  return optimizer.ask().x;
}

TEST(Auto, IsNotMovedNearTheBestPointByWhatIsPendingElsewhere) {
  Config config = test::short_config("auto");
  config.edit<model::AutoOptions>().near_best_every = 1;
  config.edit<model::AutoOptions>().locks_below = 0.0;
  Optimizer optimizer(kSquare, config, 3);
  test::run(optimizer, 12, hill);
  const std::vector<double> best = optimizer.recommendation().trial.x;
  ASSERT_LT(best[0], 1.0);
  ASSERT_GT(best[1], 12.0);
  const std::vector<double> found = next_to_pending(optimizer, {10.0, 0.0});
  EXPECT_EQ(found, next_to_pending(optimizer, {10.0, 4.0}));
  EXPECT_NE(found, next_to_pending(optimizer, found));
}

TEST(Auto, ShowsOneLengthscalePerParameterAndItsMultiplier) {
  const Optimizer optimizer = auto_after(12);
  const Prediction& prediction = *optimizer.trials().back().prediction();
  EXPECT_EQ(prediction.lengthscales.size(), 2U);
  ASSERT_TRUE(prediction.multiplier);
  EXPECT_GT(*prediction.multiplier, 0.0);
}

// A round that looks only near the best point knows nothing about the far corner.
TEST(Auto, PredictsWithAllObservationsInEveryRound) {
  Optimizer optimizer = auto_after(31);
  for (int i = 0; i < 2; ++i) {
    for (const Trial& trial : optimizer.trials()) {
      const Prediction there = test::prediction_at(optimizer, trial.x);
      EXPECT_NEAR(there.mean, *trial.y(), 5e-2);
    }
    test::run(optimizer, 1, hill);
  }
}

TEST(Auto, RecommendsByItsMeanWhereObservationsAreNoisy) {
  Optimizer optimizer(kSquare, test::short_config("auto"), 3);
  numeric::RandomStream stream(1, numeric::Purpose::observation_noise);
  double best_seen = 0.0;
  for (int i = 0; i < 60; ++i) {
    const Suggestion next = optimizer.ask();
    const double y = hill(next.x) + stream.normal();
    best_seen = std::max(best_seen, y);
    optimizer.tell(next.trial, y);
  }
  EXPECT_LT(*optimizer.recommendation().trial.y(), best_seen);
}

}  // namespace
}  // namespace oscbo
