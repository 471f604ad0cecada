#include <cmath>
#include <vector>

#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include "gp/kernel_options.hpp"
#include "learners/fitter.hpp"
#include "learners/learners_test_support.hpp"
#include "learners/recalibration.hpp"
#include "learners/recalibration_options.hpp"

namespace oscbo::learners {
namespace {

using gp::KernelShape;
using test::Data;
using test::next_settings;
using test::one;

using test::kSeed;

Config recalibrated() {
  Config config;
  config.learner = "recalibrated";
  return config;
}

Config likelihood(Config config) {
  config.learner = "mll";
  return config;
}

ModelSettings first_settings(const Config& config, const Data& data) {
  return test::first_settings(config, data, kSeed);
}

/// The data without point i.
Data without(const Data& data, Index i) {
  const Index n = data.y.size();
  Data others{.X = gp::test::Matrix(n - 1, data.X.cols()), .y = Vector(n - 1)};
  others.X << data.X.topRows(i), data.X.bottomRows(n - 1 - i);
  others.y << data.y.head(i), data.y.tail(n - 1 - i);
  return others;
}

/// u_i by definition: point i is predicted by a Gaussian process fitted to all others.
double dense_transform(const Data& data, Index i, const Vector& theta) {
  const Data others = without(data, i);
  const Index n = others.y.size();
  const Eigen::LDLT<gp::test::Matrix> A(others.gram(n, KernelShape::matern52, theta, test::kNoise));
  const Vector k = others.covariance(n, KernelShape::matern52, theta, data.point(i));
  const double mean = k.dot(A.solve(others.y));
  const double variance = 1.0 - k.dot(A.solve(k)) + test::kNoise;
  return boost::math::cdf(boost::math::normal(mean, std::sqrt(variance)), data.y[i]);
}

std::vector<double> dense_transforms(const Data& data, const Vector& theta) {
  std::vector<double> transforms;
  for (Index i = 0; i < data.y.size(); ++i) transforms.push_back(dense_transform(data, i, theta));
  return transforms;
}

// The quantiles of four values at 0, 1/3, 2/3 and 1 are the values themselves. The lengthscale is
// fixed at 0.5.
TEST(RecalibratedRule, ReproducesThePublishedProbabilityTransforms) {
  Data data{.X = gp::test::Matrix(4, 2), .y = Vector(4)};
  data.X << 0.1, 0.2, 0.4, 0.9, 0.75, 0.3, 0.55, 0.6;
  data.y << -0.8, 0.3, 1.1, -0.6;
  const std::vector<double> ascending{0.00751212634189, 0.197255192043, 0.967305642193,
                                      0.995883661933};
  Config config = recalibrated();
  config.edit<LearnerOptions>().theta_min = config.edit<LearnerOptions>().theta_max = 0.5;
  for (std::size_t rank = 0; rank < 4; ++rank) {
    config.delta = 1.0 - static_cast<double>(rank) / 3.0;
    const ModelSettings settings = first_settings(config, data);
    EXPECT_EQ(settings.theta, one(0.5));
    const double level = boost::math::cdf(boost::math::normal(), settings.multiplier.value());
    EXPECT_NEAR(level, ascending[rank], 1e-11);
  }
}

TEST(RecalibratedRule, LearnsTheLengthscalesOfTheLikelihoodRule) {
  for (const bool ard : {false, true}) {
    for (const bool refit_folds : {false, true}) {
      Config config = recalibrated();
      config.edit<gp::KernelOptions>().ard = ard;
      config.edit<RecalibrationOptions>().refit_folds = refit_folds;
      config.edit<LearnerOptions>().reset_moments =
          false;  // folds must not change the kept moments
      config.edit<LearnerOptions>().adam_steps = 20;
      RuleHandle rule = make_rule(config, gp::Layout::plain(3), kSeed);
      RuleHandle reference = make_rule(likelihood(config), gp::Layout::plain(3), kSeed);
      for (int round = 1; round <= 3; ++round) {
        const Data data = test::smooth_data(7 + round, 3, 2);
        const ModelSettings settings = next_settings(rule, data, round);
        EXPECT_EQ(settings.theta, next_settings(reference, data, round).theta);
        EXPECT_EQ(settings.theta.size(), ard ? 3 : 1);
        EXPECT_FALSE(settings.spread);
        EXPECT_TRUE(settings.points.empty());
      }
    }
  }
}

TEST(RecalibratedRule, RecalibratesOnLeaveOneOutPredictions) {
  for (const RecalibrationOptions::Kind kind :
       {RecalibrationOptions::Kind::empirical, RecalibrationOptions::Kind::sequential}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Config config = recalibrated();
      config.edit<RecalibrationOptions>().kind = kind;
      config.edit<RecalibrationOptions>().rate = 0.3;
      const Data data = test::smooth_data(4 + 2 * static_cast<Index>(seed), 2, seed);
      const ModelSettings settings = first_settings(config, data);
      const double expected = recalibrated_multiplier(
          dense_transforms(data, settings.theta), config.delta, config.get<RecalibrationOptions>());
      EXPECT_NEAR(settings.multiplier.value(), expected, 1e-8);
    }
  }
}

// The exact solver does not depend on its start, so a separate rule finds the same lengthscale for
// each fold.
TEST(RecalibratedRule, CanRefitTheLengthscaleForEveryFold) {
  Config config = recalibrated();
  config.edit<LearnerOptions>().solver = LearnerOptions::Solver::exact;
  const Data data = test::smooth_data(9, 2, 4);
  const double plain = first_settings(config, data).multiplier.value();
  config.edit<RecalibrationOptions>().refit_folds = true;

  std::vector<double> transforms;
  for (Index i = 0; i < data.y.size(); ++i) {
    const Vector theta = first_settings(likelihood(config), without(data, i)).theta;
    transforms.push_back(dense_transform(data, i, theta));
  }
  const double refitted = first_settings(config, data).multiplier.value();
  EXPECT_NEAR(refitted,
              recalibrated_multiplier(transforms, config.delta, config.get<RecalibrationOptions>()),
              1e-8);
  EXPECT_GT(std::abs(refitted - plain), 1e-3);
}

TEST(RecalibratedRule, StartsEveryFoldAtTheLengthscaleOfAllData) {
  Config config = recalibrated();
  config.edit<RecalibrationOptions>().refit_folds = true;
  const Data data = test::smooth_data(8, 2, 6);
  const ModelSettings settings = first_settings(config, data);
  const auto multiplier_from = [&](const Vector& start) {
    std::vector<double> transforms;
    for (Index i = 0; i < data.y.size(); ++i) {
      const Data others = without(data, i);
      const gp::Inputs inputs = others.inputs();
      Fitter fitter(config, gp::Layout::plain(2), kSeed);
      transforms.push_back(dense_transform(
          data, i, fitter.maximise_likelihood({.inputs = inputs, .y = others.y}, start, 1)));
    }
    return recalibrated_multiplier(transforms, config.delta, config.get<RecalibrationOptions>());
  };
  EXPECT_NEAR(settings.multiplier.value(), multiplier_from(settings.theta), 1e-8);
  EXPECT_GT(std::abs(settings.multiplier.value() - multiplier_from(one(0.6931))), 1e-4);
}

TEST(RecalibratedRule, NeedsThreePoints) {
  for (const bool refit_folds : {false, true}) {
    Config config = recalibrated();
    config.edit<RecalibrationOptions>().refit_folds = refit_folds;
    for (const Index n : {1, 2}) {
      const Data three = test::smooth_data(3, 2, 1);
      const Data few{.X = three.X.topRows(n), .y = three.y.head(n)};
      EXPECT_NEAR(first_settings(config, few).multiplier.value(), nominal_multiplier(0.1), 1e-12);
      EXPECT_GT(
          std::abs(first_settings(config, three).multiplier.value() - nominal_multiplier(0.1)),
          1e-3);
    }
  }
}

TEST(RecalibratedRule, CountsEveryFactorization) {
  const Data data = test::smooth_data(6, 2, 1);
  Config config = recalibrated();
  const int steps = config.get<LearnerOptions>().adam_steps;
  for (const bool refit_folds : {false, true}) {
    config.edit<RecalibrationOptions>().refit_folds = refit_folds;
    RuleHandle rule = make_rule(config, gp::Layout::plain(2), kSeed);
    next_settings(rule, data, 1);
    EXPECT_EQ(rule->evaluations(), refit_folds ? steps + 6 * (steps + 1) : steps + 1);
  }
}

}  // namespace
}  // namespace oscbo::learners
