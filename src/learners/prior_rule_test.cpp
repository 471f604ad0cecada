#include <cmath>
#include <numbers>
#include <utility>

#include <boost/math/distributions/lognormal.hpp>
#include <gtest/gtest.h>

#include "gp/kernel_options.hpp"
#include "learners/learners_test_support.hpp"
#include "learners/prior_options.hpp"

namespace oscbo::learners {
namespace {

using gp::KernelShape;
using test::Data;
using test::first_settings;
using test::next_settings;

using test::kSeed;

/// The configuration of the method vanilla-bo.
Config vanilla() {
  Config config;
  config.learner = "prior";
  find_rule("prior")->compose(config);
  return config;
}

Config learning_noise(Config config = vanilla()) {
  config.edit<PriorOptions>().noise = PriorOptions::Noise::learned;
  return config;
}

/// Takes negligible steps, so that the result is the start of the fit.
Config standing_still(Config config) {
  config.edit<LearnerOptions>().adam_steps = 1;
  config.edit<LearnerOptions>().adam_rate = 1e-9;
  return config;
}

/// Random values at points close together.
Data rough_data(Index n, Index d) {
  Data data = test::smooth_data(n, d, 3, true);
  numeric::RandomStream stream(11, numeric::Purpose::observation_noise);
  data.y = Vector::NullaryExpr(n, [&] { return stream.normal(); });
  return data;
}

/// A second implementation of -log(likelihood x prior), with one lengthscale per parameter or one
/// for all.
double dense_posterior(const Data& data, const Vector& theta, double noise) {
  const Index n = data.y.size();
  const gp::test::Matrix A = data.gram(n, KernelShape::matern52, theta, noise);
  const Eigen::LLT<gp::test::Matrix> llt(A);
  const gp::test::Matrix L = llt.matrixL();
  double sum = L.diagonal().array().log().sum() + 0.5 * data.y.dot(llt.solve(data.y)) +
               0.5 * static_cast<double>(n) * std::log(2.0 * std::numbers::pi);
  const boost::math::lognormal prior(
      std::numbers::sqrt2 + 0.5 * std::log(static_cast<double>(data.X.cols())), std::sqrt(3.0));
  for (const double lengthscale : theta) sum -= std::log(boost::math::pdf(prior, lengthscale));
  return sum;
}

TEST(PriorRule, StartsAtTheModeOfThePrior) {
  for (const auto& [d, mode] : {std::pair{3, 0.3547},
                                {4, 0.4096},
                                {5, 0.4579},
                                {6, 0.5016},
                                {7, 0.5418},
                                {8, 0.5792},
                                {9, 0.6144},
                                {10, 0.6476},
                                {11, 0.6792},
                                {12, 0.7094}}) {
    const Data data = test::smooth_data(10, d, 1);
    const ModelSettings settings = first_settings(standing_still(vanilla()), data, kSeed);
    ASSERT_EQ(settings.theta.size(), d);
    for (const double lengthscale : settings.theta) EXPECT_NEAR(lengthscale, mode, 5e-5);
    EXPECT_FALSE(settings.noise_variance);
    EXPECT_FALSE(settings.multiplier);
  }
}

TEST(PriorRule, StartsWithinTheBoundsOfTheLengthscale) {
  for (const auto& [location, bound] : {std::pair{-1e3, 0.025}, {1e3, 10.0}}) {
    Config config = vanilla();
    config.edit<PriorOptions>().location = location;
    const ModelSettings settings =
        first_settings(standing_still(config), test::smooth_data(10, 3, 1), kSeed);
    for (const double lengthscale : settings.theta) EXPECT_NEAR(lengthscale, bound, 1e-8);
  }
}

TEST(PriorRule, StartsColdIfConfigured) {
  for (const LearnerOptions::Start start :
       {LearnerOptions::Start::warm, LearnerOptions::Start::cold}) {
    Config config = vanilla();
    config.edit<LearnerOptions>().start = start;
    RuleHandle rule = make_rule(config, gp::Layout::plain(3), kSeed);
    const Data data = test::smooth_data(10, 3, 1);
    const Vector first = next_settings(rule, data, 1).theta;
    EXPECT_EQ(next_settings(rule, data, 2).theta == first, start == LearnerOptions::Start::cold);
  }
}

TEST(PriorRule, FindsTheMaximumOfThePosteriorOfOneLengthscale) {
  constexpr int kScan = 1000;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Config config = vanilla();
    config.edit<gp::KernelOptions>().ard = false;
    config.edit<LearnerOptions>().solver = LearnerOptions::Solver::exact;
    const Data data = seed == 0 ? rough_data(12, 2)
                                : test::smooth_data(6 + static_cast<Index>(seed),
                                                    1 + static_cast<Index>(seed % 4), seed);
    double lowest = std::numeric_limits<double>::infinity();
    double at = 0.0;
    for (int i = 0; i <= kScan; ++i) {
      const double theta = 0.025 * std::pow(400.0, static_cast<double>(i) / kScan);
      const double value = dense_posterior(data, test::one(theta), config.noise_variance);
      if (value >= lowest) continue;
      lowest = value;
      at = theta;
    }
    const Vector theta = first_settings(config, data, kSeed).theta;
    ASSERT_EQ(theta.size(), 1);
    EXPECT_LE(dense_posterior(data, theta, config.noise_variance), lowest + 1e-9) << seed;
    EXPECT_NEAR(std::log(theta[0] / at), 0.0, std::log(400.0) / kScan) << seed;
  }
}

TEST(PriorRule, FindsAMaximumOfThePosteriorOfManyLengthscales) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Config config = vanilla();
    config.edit<LearnerOptions>().solver = LearnerOptions::Solver::exact;
    const Data data = test::smooth_data(15, 3, seed);
    const Vector theta = first_settings(config, data, kSeed).theta;
    const double lowest = dense_posterior(data, theta, config.noise_variance);
    for (Index k = 0; k < 3; ++k) {
      for (const double factor : {0.95, 1.05}) {
        Vector other = theta;
        other[k] = std::clamp(factor * theta[k], 0.025, 10.0);
        EXPECT_GE(dense_posterior(data, other, config.noise_variance), lowest - 1e-6) << seed;
      }
    }
  }
}

// For random values, the lengthscale of at least one parameter is at its lower bound.
TEST(PriorRule, KeepsLengthscalesAboveTheirBound) {
  const Data data = rough_data(14, 2);
  for (const LearnerOptions::Solver solver :
       {LearnerOptions::Solver::adam, LearnerOptions::Solver::exact}) {
    Config config = vanilla();
    config.edit<LearnerOptions>().solver = solver;
    config.edit<LearnerOptions>().adam_rate = 0.2;
    config.edit<PriorOptions>().location = -0.5;
    config.edit<PriorOptions>().scale = 0.8;
    RuleHandle rule = make_rule(config, gp::Layout::plain(2), kSeed);
    for (int round = 1; round <= 3; ++round) {
      EXPECT_EQ(next_settings(rule, data, round).theta.minCoeff(), 0.025);
    }
  }
}

TEST(PriorRule, StartsLearnedNoiseAtTheModeOfItsPrior) {
  const ModelSettings settings =
      first_settings(standing_still(learning_noise()), test::smooth_data(10, 3, 1), kSeed);
  EXPECT_EQ(settings.theta.size(), 3);
  EXPECT_NEAR(settings.noise_variance.value(), 0.0067379, 5e-8);
}

TEST(PriorRule, LearnedNoiseFollowsTheDataAndStaysAboveItsBound) {
  for (const LearnerOptions::Solver solver :
       {LearnerOptions::Solver::adam, LearnerOptions::Solver::exact}) {
    Config config = learning_noise();
    config.edit<LearnerOptions>().solver = solver;
    config.edit<LearnerOptions>().adam_steps = 200;
    // Forty noiseless values leave no room for noise, and random values are nothing but noise.
    const ModelSettings smooth = first_settings(config, test::smooth_data(40, 1, 4), kSeed);
    EXPECT_EQ(smooth.theta.size(), 1);
    EXPECT_NEAR(smooth.noise_variance.value(), 1e-4, 1e-12);
    EXPECT_GE(smooth.noise_variance.value(), 1e-4);
    const ModelSettings rough = first_settings(config, rough_data(40, 1), kSeed);
    EXPECT_GT(rough.noise_variance.value(), 0.1);
  }
}

TEST(PriorRule, FindsTheJointMaximumOfNoiseAndLengthscales) {
  Config config = learning_noise();
  config.edit<LearnerOptions>().solver = LearnerOptions::Solver::exact;
  const boost::math::lognormal noise_prior(-4.0, 1.0);
  const auto value = [&](const Data& data, const Vector& theta, double noise) {
    return dense_posterior(data, theta, noise) - std::log(boost::math::pdf(noise_prior, noise));
  };
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Data data = test::smooth_data(15, 2, seed);
    numeric::RandomStream stream(seed, numeric::Purpose::observation_noise);
    for (double& y : data.y) y += 0.2 * stream.normal();
    const ModelSettings settings = first_settings(config, data, kSeed);
    const double noise = settings.noise_variance.value();
    const double lowest = value(data, settings.theta, noise);
    for (const double factor : {0.9, 1.1}) {
      EXPECT_GE(value(data, settings.theta, std::max(factor * noise, 1e-4)), lowest - 1e-6);
      EXPECT_GE(value(data, (factor * settings.theta).cwiseMin(10.0), noise), lowest - 1e-6);
    }
  }
}

TEST(PriorRule, CopyThatLearnsNoiseContinuesIndependently) {
  RuleHandle rule = make_rule(learning_noise(), gp::Layout::plain(2), kSeed);
  const Data data = test::smooth_data(9, 2, 1);
  RuleHandle copy = rule;
  const double noise = next_settings(rule, data, 1).noise_variance.value();
  EXPECT_NE(next_settings(rule, data, 2).noise_variance.value(), noise);
  EXPECT_EQ(next_settings(copy, data, 1).noise_variance.value(), noise);
}

}  // namespace
}  // namespace oscbo::learners
