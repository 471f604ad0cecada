#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "learners/learners_test_support.hpp"
#include "learners/registry.hpp"
#include "online/balancing_options.hpp"
#include "online/schedule_options.hpp"
#include "online/width_options.hpp"

namespace oscbo::learners {
namespace {

using test::Data;

constexpr std::uint64_t kBalancingSeed = 9;
constexpr Index kBalancingInitial = 8;

Config balancing_config() {
  Config config;
  config.learner = "balancing";
  return config;
}

/// At most two candidates, and the second one is added after the first round. theta_0 is about ln
/// 2, and exp(-2) theta_0 is below the floor.
Config two_candidates() {
  Config config = balancing_config();
  config.edit<online::BalancingOptions>().add_rule = online::BalancingOptions::AddRule::literal;
  config.edit<online::ScheduleOptions>().floor = 0.15;
  return config;
}

/// A rule on one parameter and its data: eight smooth initial points, and one more point per play.
class BalancingSession {
 public:
  explicit BalancingSession(const Config& config)
      : config_(config),
        data_(test::smooth_data(kBalancingInitial, 1, 8)),
        rule_(make_rule(config, gp::Layout::plain(1), kBalancingSeed)) {}

  const ModelSettings& next(int round) {
    const gp::Inputs inputs = data_.inputs();
    settings_ = rule_->next_settings(
        {.inputs = inputs, .y = data_.y, .initial_points = kBalancingInitial}, round);
    return settings_;
  }

  /// Tells the outcome of a play of `theta`. Its width is 0 unless a variance is given.
  void tell(double theta, double y, double variance = 0.0) {
    const Index point = data_.y.size();
    data_.X.conservativeResize(point + 1, 1);
    data_.X(point, 0) = 0.1 * static_cast<double>(point - kBalancingInitial) + 0.03;
    data_.y.conservativeResize(point + 1);
    data_.y[point] = y;
    rule_->observe_prediction({.point = point,
                               .theta = {theta},
                               .variance = variance,
                               .noise_variance = config_.noise_variance,
                               .multiplier = 2.0});
  }

  /// Asks for the next lengthscale, and tells the outcome of its play.
  double play(int round, double y, double variance = 0.0) {
    const double theta = next(round).theta[0];
    tell(theta, y, variance);
    return theta;
  }

  Data& data() { return data_; }
  RuleHandle& rule() { return rule_; }

 private:
  Config config_;
  Data data_;
  RuleHandle rule_;
  ModelSettings settings_;
};

double likelihood_fit() {
  Config config;
  config.learner = "mll";
  return BalancingSession(config).next(1).theta[0];
}

TEST(BalancingRule, StartsFromTheLikelihoodAndFollowsItsCandidates) {
  const double theta_0 = likelihood_fit();
  BalancingSession session(balancing_config());
  int evaluations = 0;
  for (int round = 1; round <= 6; ++round) {
    EXPECT_EQ(session.play(round, 0.1 * round, 1.0), theta_0);
    if (round == 1) evaluations = session.rule()->evaluations();
  }
  EXPECT_DOUBLE_EQ(session.play(7, 0.0, 1.0), theta_0 * std::exp(-1.0));
  EXPECT_EQ(session.rule()->evaluations(), evaluations) << "must fit only before the first round";
  EXPECT_FALSE(session.next(8).multiplier);
}

TEST(BalancingRule, RefusesSeveralLengthscales) {
  EXPECT_FALSE(find_rule("balancing")->traits.accepts_ard);
}

// --- bookkeeping -------------------------------------------------------------------------------

/// Tells whether the first candidate survives after one play of each, with rewards 0 and 1. The
/// play of the first candidate has the given variance. If it survives it is next, because of two
/// candidates with equally many plays, the longer one has less suspected regret.
bool first_survives(const Config& config, double variance) {
  BalancingSession session(config);
  const double first = session.play(1, 0.0, variance);
  const double second = session.play(2, 1.0);
  EXPECT_DOUBLE_EQ(second, first * std::exp(-1.0));
  return session.next(3).theta[0] == first;
}

// It survives if 2 width >= 1 with width = 2 sd, so sd >= 0.25. This is a latent variance of
// 0.0625, or 0.0525 plus the noise.
TEST(BalancingRule, UsesTheStandardDeviationWithOrWithoutNoise) {
  Config config = two_candidates();
  EXPECT_FALSE(first_survives(config, 0.0624));
  EXPECT_TRUE(first_survives(config, 0.0626));
  config.edit<online::BalancingOptions>().sd = online::BalancingOptions::Sd::with_noise;
  EXPECT_FALSE(first_survives(config, 0.0524));
  EXPECT_TRUE(first_survives(config, 0.0526));
}

// The first reward is 0 when first seen, and 0.9 at the time of the elimination. Then the other
// reward is 1, and 2 width is 0.4.
TEST(BalancingRule, UsesTheCurrentOrTheFirstStandardisationOfRewards) {
  for (const online::BalancingOptions::RewardScale scale :
       {online::BalancingOptions::RewardScale::current,
        online::BalancingOptions::RewardScale::raw}) {
    Config config = two_candidates();
    config.edit<online::BalancingOptions>().reward_scale = scale;
    BalancingSession session(config);
    const double first = session.play(1, 0.0, 0.01);
    const double second = session.play(2, 1.0);
    session.data().y = (0.1 * session.data().y).array() + 0.9;
    EXPECT_EQ(session.next(3).theta[0],
              scale == online::BalancingOptions::RewardScale::current ? first : second);
  }
}

// --- pending points ----------------------------------------------------------------------------

TEST(BalancingRule, CountsPlaysInTheOrderOfTheTells) {
  for (const bool late : {true, false}) {
    BalancingSession session(two_candidates());
    const double first = session.play(1, 0.0);  // asked again later, and that point stays pending
    const double second = session.next(3).theta[0];
    ASSERT_DOUBLE_EQ(second, first * std::exp(-1.0));
    if (late) {
      session.tell(second, 1e3);
      session.tell(first, 1e6);
      EXPECT_EQ(session.next(4).theta[0], second)
          << "the candidate was eliminated before its reward arrived";
    } else {
      session.tell(first, 1e6);
      session.tell(second, 1e3);
      EXPECT_EQ(session.next(4).theta[0], first);
    }
  }
}

// --- theory ------------------------------------------------------------------------------------

TEST(BalancingRule, HasTheWidthOfTheTheory) {
  for (const bool inflation : {false, true}) {
    Config config = two_candidates();
    config.edit<online::BalancingOptions>().width = online::RuleWidth::theory;
    config.edit<online::BalancingOptions>().norm_inflation = inflation;
    config.edit<online::WidthOptions>().norm_bound = 0.7;
    config.delta = 0.2;
    BalancingSession session(config);
    for (const int round : {1, 2}) {
      const ModelSettings settings = session.next(round);
      const gp::test::Matrix A =
          session.data().gram(session.data().y.size(), gp::KernelShape::matern52, settings.theta,
                              config.noise_variance);
      const double information = 0.5 * std::log((A / config.noise_variance).determinant());
      const double norm = inflation && round == 2 ? 0.7 * std::exp(0.5) : 0.7;
      const double expected = norm + std::sqrt(config.noise_variance) *
                                         std::sqrt(2.0 * (information + 1.0 + std::log(10.0)));
      ASSERT_TRUE(settings.multiplier);
      EXPECT_NEAR(*settings.multiplier, expected, 1e-9);
      session.tell(settings.theta[0], 0.0);
    }
  }
}

// --- values ------------------------------------------------------------------------------------

TEST(BalancingRule, CopyContinuesIndependently) {
  BalancingSession session(two_candidates());
  const double first = session.play(1, 0.0);
  const double second = session.next(2).theta[0];
  BalancingSession copy = session;
  session.tell(second, 1.0);
  copy.tell(second, -1.0);
  EXPECT_EQ(session.next(3).theta[0], second);
  EXPECT_EQ(copy.next(3).theta[0], first);
}

}  // namespace
}  // namespace oscbo::learners
