#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "gp/kernel_options.hpp"
#include "learners/calibration_split.hpp"
#include "learners/learners_test_support.hpp"
#include "learners/recalibration.hpp"
#include "learners/sharp_options.hpp"
#include "learners/solver.hpp"
#include "learners/spread_objective.hpp"

namespace oscbo::learners {
namespace {

using gp::KernelShape;
using test::Data;
using test::DenseSpread;
using test::next_settings;

using test::kSeed;

/// A configuration whose settings show the split, and the multiplier without a floor.
Config sharp_calibrated() {
  Config config;
  config.learner = "sharp-calibrated";
  config.edit<SharpOptions>().condition = SharpOptions::Condition::training;
  config.edit<SharpOptions>().multiplier_floor = -std::numeric_limits<double>::infinity();
  return config;
}

ModelSettings settings_of(const Config& config, const Data& data, int round = 1,
                          std::uint64_t seed = kSeed) {
  return test::first_settings(config, data, seed, round);
}

std::vector<Index> complement(const std::vector<Index>& points, Index n) {
  std::vector<Index> others;
  for (Index i = 0; i < n; ++i) {
    if (std::find(points.begin(), points.end(), i) == points.end()) others.push_back(i);
  }
  return others;
}

/// The data of a round as split by the rule: training points first, and the residuals of the others
/// with the regression's lengthscales.
struct SplitData {
  SplitData(const Data& data, const ModelSettings& settings) {
    training = static_cast<Index>(settings.points.size());
    std::vector<Index> order = settings.points;
    for (const Index i : complement(settings.points, data.y.size())) order.push_back(i);
    sorted = {.X = data.X(order, Eigen::all), .y = data.y(order)};

    const Eigen::LDLT<gp::test::Matrix> A(
        sorted.gram(training, KernelShape::matern52, settings.theta, test::kNoise));
    const Vector alpha = A.solve(sorted.y.head(training));
    residuals = sorted.y.tail(data.y.size() - training);
    for (Index i = 0; i < residuals.size(); ++i) {
      residuals[i] -= alpha.dot(sorted.covariance(training, KernelShape::matern52, settings.theta,
                                                  sorted.point(training + i)));
    }
  }

  [[nodiscard]] DenseSpread spread(const Vector& theta) const {
    return {sorted, KernelShape::matern52, theta, test::kNoise, residuals};
  }

  /// F with the linear quantile.
  [[nodiscard]] double objective(const Vector& theta, double delta) const {
    const DenseSpread dense = spread(theta);
    return dense.objective(dense.linear(delta));
  }

  Data sorted;
  Index training = 0;
  Vector residuals;
};

// --- the split ---------------------------------------------------------------------------------

TEST(SharpCalibratedRule, HoldsOutAFifthOfThePoints) {
  Config config = sharp_calibrated();
  config.edit<LearnerOptions>().adam_steps = config.edit<SharpOptions>().adam_steps =
      config.edit<SharpOptions>().restarts = 1;
  for (Index n = 5; n <= 110; n += n < 20 ? 1 : 15) {
    const std::vector<Index> training = settings_of(config, test::smooth_data(n, 2, 1)).points;
    EXPECT_EQ(static_cast<Index>(training.size()), n - calibration_count(n, 0.2));
  }
}

TEST(SharpCalibratedRule, SplitsInEachRoundOrOncePerSeed) {
  const Data data = test::smooth_data(20, 2, 1);
  Config config = sharp_calibrated();
  const auto training = [&](int round, std::uint64_t seed) {
    return settings_of(config, data, round, seed).points;
  };
  EXPECT_EQ(training(3, 1), training(3, 1));
  EXPECT_NE(training(3, 1), training(4, 1));
  config.edit<SharpOptions>().split = SharpOptions::Split::per_seed;
  EXPECT_EQ(training(3, 1), training(4, 1));
  EXPECT_NE(training(3, 1), training(3, 2));
}

TEST(SharpCalibratedRule, ConditionsOnAllPointsByDefault) {
  Config config = sharp_calibrated();
  const Data data = test::smooth_data(12, 2, 1);
  const ModelSettings on_training = settings_of(config, data);
  config.edit<SharpOptions>().condition = SharpOptions::Condition::all;
  const ModelSettings on_all = settings_of(config, data);
  EXPECT_TRUE(on_all.points.empty());
  EXPECT_EQ(on_training.points.size(), 10U);
  EXPECT_EQ(on_all.theta, on_training.theta);
  EXPECT_EQ(on_all.spread->theta, on_training.spread->theta);
  EXPECT_EQ(on_all.multiplier, on_training.multiplier);
}

TEST(SharpCalibratedRule, WithTooFewPointsIsALikelihoodFit) {
  const Data data = test::smooth_data(4, 2, 1);
  const Config config = sharp_calibrated();
  Config likelihood = config;
  likelihood.learner = "mll";
  const ModelSettings settings = settings_of(config, data);
  EXPECT_EQ(settings.theta, settings_of(likelihood, data).theta);
  EXPECT_NEAR(settings.multiplier.value(), nominal_multiplier(0.1), 1e-12);
  EXPECT_FALSE(settings.spread);
  EXPECT_TRUE(settings.points.empty());

  const ModelSettings enough = settings_of(config, test::smooth_data(5, 2, 1));
  EXPECT_TRUE(enough.spread);
  EXPECT_EQ(enough.points.size(), 3U);
}

// --- mean, spread and multiplier ---------------------------------------------------------------

TEST(SharpCalibratedRule, FitsTheRegressionToTheTrainingPoints) {
  Config config = sharp_calibrated();
  const Data data = test::smooth_data(15, 2, 3);
  const ModelSettings settings = settings_of(config, data);
  config.learner = "mll";
  const Data training{.X = data.X(settings.points, Eigen::all), .y = data.y(settings.points)};
  EXPECT_EQ(settings.theta, settings_of(config, training).theta);
}

TEST(SharpCalibratedRule, MultiplierIsTheQuantileOfTheStandardisedResiduals) {
  for (const bool ard : {false, true}) {
    for (const SharpOptions::Quantile rule :
         {SharpOptions::Quantile::linear, SharpOptions::Quantile::conformal}) {
      for (std::uint64_t seed = 0; seed < 8; ++seed) {
        Config config = sharp_calibrated();
        config.edit<gp::KernelOptions>().ard = ard;
        config.edit<SharpOptions>().quantile = rule;
        config.edit<SharpOptions>().adam_steps = 10;
        const Data data = test::smooth_data(6 + 5 * static_cast<Index>(seed), 2, seed);
        const ModelSettings settings = settings_of(config, data);
        const DenseSpread dense = SplitData(data, settings).spread(settings.spread->theta);
        EXPECT_EQ(settings.spread->theta.size(), ard ? 2 : 1);
        const double expected = rule == SharpOptions::Quantile::linear
                                    ? dense.linear(config.delta)
                                    : dense.conformal(config.delta);
        EXPECT_NEAR(settings.multiplier.value(), expected, 1e-8 * (1.0 + std::abs(expected)));
      }
    }
  }
}

/// The smallest F on Adam's paths from the deterministic starts. Fits of increasing length retrace
/// each path.
double least_on_paths(const Config& config, const SplitData& split, const Vector& regression) {
  const gp::Inputs points = split.sorted.inputs();
  const std::vector<double> residuals(split.residuals.begin(), split.residuals.end());
  const Index d = regression.size();
  double least = std::numeric_limits<double>::infinity();
  for (const Vector& start :
       {regression, Vector::Constant(d, 0.05).eval(), Vector::Constant(d, 2.0).eval()}) {
    for (int steps = 0; steps <= config.get<SharpOptions>().adam_steps; ++steps) {
      SpreadObjective objective(gp::stationary_kernel(KernelShape::matern52), test::kNoise, points,
                                residuals, config.delta, SharpOptions::Quantile::linear);
      LearnerOptions learner;
      learner.adam_rate = config.get<SharpOptions>().adam_rate;
      learner.adam_steps = steps;
      const Vector theta = LengthscaleSolver(learner).adam(
          [&](const Vector& at, Vector& gradient) {
            return objective.value_and_gradient(at, gradient);
          },
          start);
      least = std::min(least, split.objective(theta, config.delta));
    }
  }
  return least;
}

TEST(SharpCalibratedRule, KeepsTheBestSpreadOfAllPaths) {
  for (const bool ard : {false, true}) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      Config config = sharp_calibrated();
      config.edit<gp::KernelOptions>().ard = ard;
      config.edit<SharpOptions>().restarts = 3;
      config.edit<SharpOptions>().adam_steps = 12;
      config.edit<LearnerOptions>().reset_moments = false;  // paths must be independent even so
      const Data data = test::smooth_data(18, 2, seed);
      const ModelSettings settings = settings_of(config, data);
      const SplitData split(data, settings);
      const double least = least_on_paths(config, split, settings.theta);
      EXPECT_NEAR(split.objective(settings.spread->theta, config.delta), least,
                  1e-7 * (1.0 + least));
    }
  }
}

TEST(SharpCalibratedRule, MoreStartsNeverWorsenTheSpread) {
  int better = 0;
  for (int round = 1; round <= 20; ++round) {
    Config config = sharp_calibrated();
    config.edit<gp::KernelOptions>().ard = true;
    const Data data = test::smooth_data(18, 3, static_cast<std::uint64_t>(round));
    const auto objective = [&](int restarts) {
      config.edit<SharpOptions>().restarts = restarts;
      const ModelSettings settings = settings_of(config, data, round);
      return SplitData(data, settings).objective(settings.spread->theta, config.delta);
    };
    const double few = objective(1);
    const double some = objective(3);
    const double many = objective(8);
    EXPECT_LE(some, few + 1e-9);
    EXPECT_LE(many, some + 1e-9);
    if (many < some - 1e-6) ++better;
  }
  EXPECT_GT(better, 4) << "the random starts were not used";
}

TEST(SharpCalibratedRule, SpreadStaysInsideTheBoundsOfTheLengthscale) {
  Config config = sharp_calibrated();
  config.edit<LearnerOptions>().theta_min = 0.3;
  config.edit<LearnerOptions>().theta_max = 0.4;
  for (int round = 1; round <= 5; ++round) {
    const ModelSettings settings = settings_of(config, test::smooth_data(15, 2, 2), round);
    EXPECT_GE(settings.spread->theta[0], 0.3);
    EXPECT_LE(settings.spread->theta[0], 0.4);
  }
}

TEST(SharpCalibratedRule, MultiplierHasAFloor) {
  const Data data = test::smooth_data(8, 2, 1);
  int negative = 0;
  for (int round = 1; round <= 30; ++round) {
    Config config = sharp_calibrated();
    config.edit<SharpOptions>().adam_steps = 5;
    const double free = settings_of(config, data, round).multiplier.value();
    if (free < 0.0) ++negative;
    for (const double floor : {0.0, 1.5}) {
      config.edit<SharpOptions>().multiplier_floor = floor;
      EXPECT_EQ(settings_of(config, data, round).multiplier, std::max(free, floor));
    }
  }
  EXPECT_GT(negative, 2) << "no case for the floor";
  EXPECT_EQ(SharpOptions{}.multiplier_floor, 0.0);
}

TEST(SharpCalibratedRule, TellsWhetherTheSpreadIncludesTheNoise) {
  Config config = sharp_calibrated();
  const Data data = test::smooth_data(8, 2, 1);
  EXPECT_TRUE(settings_of(config, data).spread->includes_noise);
  config.edit<SharpOptions>().spread_includes_noise = false;
  EXPECT_FALSE(settings_of(config, data).spread->includes_noise);
}

// --- values ------------------------------------------------------------------------------------

TEST(SharpCalibratedRule, CountsEveryFactorization) {
  Config config = sharp_calibrated();
  config.edit<LearnerOptions>().adam_steps = 7;
  config.edit<SharpOptions>().adam_steps = 11;
  config.edit<SharpOptions>().restarts = 4;
  RuleHandle rule = make_rule(config, gp::Layout::plain(2), kSeed);
  next_settings(rule, test::smooth_data(9, 2, 1), 1);
  EXPECT_EQ(rule->evaluations(), 7 + 1 + 4 * (11 + 1));
}

}  // namespace
}  // namespace oscbo::learners
