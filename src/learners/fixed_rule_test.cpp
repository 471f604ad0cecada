#include <gtest/gtest.h>

#include "gp/kernel_options.hpp"
#include "learners/learners_test_support.hpp"

namespace oscbo::learners {
namespace {

using test::kSeed;

Config fixed() {
  Config config;
  config.learner = "fixed";
  config.edit<gp::KernelOptions>().lengthscale = 0.37;
  config.edit<gp::KernelOptions>().weight_variance = 7.0;
  config.edit<gp::KernelOptions>().bias_variance = 0.9;
  return config;
}

Vector theta_of(const Config& config) {
  return test::first_settings(config, test::smooth_data(8, 3, 1), kSeed).theta;
}

TEST(FixedRule, UsesTheGivenLengthscale) {
  EXPECT_EQ(theta_of(fixed()), test::one(0.37));
  Config ard = fixed();
  ard.edit<gp::KernelOptions>().ard = true;
  EXPECT_EQ(theta_of(ard), Vector::Constant(3, 0.37));
}

TEST(FixedRule, UsesTheGivenVariancesOfANetwork) {
  Config network = fixed();
  network.edit<gp::KernelOptions>().family = gp::KernelOptions::Family::network;
  EXPECT_EQ(theta_of(network), (Vector{{7.0, 0.9}}));
}

TEST(FixedRule, LearnsNothing) {
  RuleHandle rule = make_rule(fixed(), gp::Layout::plain(3), kSeed);
  for (int round = 1; round <= 3; ++round) {
    const ModelSettings settings =
        test::next_settings(rule, test::smooth_data(5 + round, 3, 2), round);
    EXPECT_EQ(settings.theta, test::one(0.37));
    EXPECT_FALSE(settings.noise_variance);
    EXPECT_FALSE(settings.multiplier);
    EXPECT_FALSE(settings.spread);
    EXPECT_TRUE(settings.points.empty());
  }
  EXPECT_EQ(rule->evaluations(), 0);
}

TEST(FixedRule, CopyOutlivesTheOriginal) {
  std::optional<RuleHandle> rule(make_rule(fixed(), gp::Layout::plain(3), kSeed));
  RuleHandle copy = *rule;
  rule.reset();
  EXPECT_EQ(test::next_settings(copy, test::smooth_data(8, 3, 1), 1).theta, test::one(0.37));
}

}  // namespace
}  // namespace oscbo::learners
