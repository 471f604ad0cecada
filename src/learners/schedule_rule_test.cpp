#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "gp/kernel_options.hpp"
#include "learners/learners_test_support.hpp"
#include "learners/registry.hpp"
#include "online/schedule_options.hpp"
#include "online/width_options.hpp"

namespace oscbo::learners {
namespace {

using test::Data;

constexpr std::uint64_t kScheduleSeed = 9;
constexpr Index kScheduleInitial = 10;

Config schedule_config() {
  Config config;
  config.learner = "schedule";
  return config;
}

/// Twelve points, ten of which are the initial design, and a rule that sees all of them or only the
/// design.
class ScheduleSession {
 public:
  explicit ScheduleSession(const Config& config)
      : rule_(make_rule(config, gp::Layout::plain(data().X.cols()), kScheduleSeed)) {}

  static Data data() { return test::smooth_data(kScheduleInitial + 2, 3, 8); }
  static Data initial() {
    const Data all = data();
    return {.X = all.X.topRows(kScheduleInitial), .y = all.y.head(kScheduleInitial)};
  }

  ModelSettings next(int round, const Data& seen) {
    const gp::Inputs inputs = seen.inputs();
    return rule_->next_settings({.inputs = inputs, .y = seen.y, .initial_points = kScheduleInitial},
                                round);
  }

  RuleHandle& rule() { return rule_; }

 private:
  RuleHandle rule_;
};

/// The maximum likelihood lengthscales of the initial design, as found by the likelihood rule.
Vector first_likelihood_fit(Config config) {
  config.learner = "mll";
  return ScheduleSession(config).next(1, ScheduleSession::initial()).theta;
}

TEST(ScheduleRule, DividesTheFirstFitByItsGrowthAndNeverRefits) {
  for (const bool ard : {false, true}) {
    Config config = schedule_config();
    config.edit<gp::KernelOptions>().ard = ard;
    const Vector theta_0 = first_likelihood_fit(config);
    ASSERT_EQ(theta_0.size(), ard ? 3 : 1);
    ScheduleSession session(config);
    EXPECT_EQ(session.next(1, ScheduleSession::initial()).theta, theta_0);
    const int evaluations = session.rule()->evaluations();
    EXPECT_EQ(session.next(5, ScheduleSession::data()).theta, theta_0);
    EXPECT_TRUE(
        session.next(6, ScheduleSession::data()).theta.isApprox(theta_0 / std::sqrt(6.0), 1e-14));
    EXPECT_TRUE(session.next(100, ScheduleSession::data()).theta.isApprox(theta_0 / 10.0, 1e-14));
    EXPECT_EQ(session.rule()->evaluations(), evaluations);
    EXPECT_FALSE(session.next(100, ScheduleSession::data()).multiplier);
  }
}

TEST(ScheduleRule, StopsAtTheFloorInEveryEntry) {
  Config config = schedule_config();
  config.edit<gp::KernelOptions>().ard = true;
  const Vector theta_0 = first_likelihood_fit(config);
  ASSERT_GT(theta_0.maxCoeff(), theta_0.minCoeff());
  // At g = 10, the floor is between the two lengthscales.
  config.edit<online::ScheduleOptions>().floor = 0.05 * (theta_0.minCoeff() + theta_0.maxCoeff());
  ScheduleSession session(config);
  session.next(1, ScheduleSession::initial());
  const Vector theta = session.next(100, ScheduleSession::data()).theta;
  for (Index k = 0; k < theta.size(); ++k) {
    EXPECT_DOUBLE_EQ(theta[k],
                     std::max(theta_0[k] / 10.0, config.get<online::ScheduleOptions>().floor));
  }
  EXPECT_EQ(theta.minCoeff(), config.get<online::ScheduleOptions>().floor);
  EXPECT_GT(theta.maxCoeff(), config.get<online::ScheduleOptions>().floor);
}

TEST(ScheduleRule, CanCountTheInitialDesign) {
  Config config = schedule_config();
  config.edit<online::ScheduleOptions>().clock = online::ScheduleOptions::Clock::calls;
  const double theta_0 = first_likelihood_fit(config)[0];
  ScheduleSession session(config);
  EXPECT_DOUBLE_EQ(session.next(1, ScheduleSession::initial()).theta[0], theta_0 / std::sqrt(11.0));
  EXPECT_DOUBLE_EQ(session.next(6, ScheduleSession::data()).theta[0], theta_0 / 4.0);
}

TEST(ScheduleRule, UsesTheConfiguredGrowth) {
  Config config = schedule_config();
  config.edit<online::ScheduleOptions>().growth = online::ScheduleOptions::Growth::power;
  config.edit<online::ScheduleOptions>().growth_constant = 2.0;
  config.edit<online::ScheduleOptions>().growth_exponent = 0.25;
  const double theta_0 = first_likelihood_fit(config)[0];
  ScheduleSession session(config);
  EXPECT_DOUBLE_EQ(session.next(1, ScheduleSession::initial()).theta[0], theta_0 / 2.0);
  EXPECT_DOUBLE_EQ(session.next(81, ScheduleSession::data()).theta[0], theta_0 / 3.0);
}

TEST(ScheduleRule, HasTheWidthOfTheTheory) {
  Config config = schedule_config();
  config.edit<online::ScheduleOptions>().width = online::RuleWidth::theory;
  config.edit<online::WidthOptions>().norm_bound = 0.7;
  config.delta = 0.2;
  ScheduleSession session(config);
  session.next(1, ScheduleSession::initial());
  for (const auto& [round, growth] : {std::pair{2, 1.0}, std::pair{9, 3.0}}) {
    const ModelSettings settings = session.next(round, ScheduleSession::data());
    const gp::test::Matrix A = ScheduleSession::data().gram(
        kScheduleInitial + 2, gp::KernelShape::matern52, settings.theta, config.noise_variance);
    const double information = 0.5 * std::log((A / config.noise_variance).determinant());
    const double expected =
        growth * growth * growth * 0.7 +
        4.0 * std::sqrt(config.noise_variance) * std::sqrt(information + 1.0 + std::log(5.0));
    ASSERT_TRUE(settings.multiplier);
    EXPECT_NEAR(*settings.multiplier, expected, 1e-9);
  }
}

TEST(ScheduleRule, CopyContinuesIndependently) {
  ScheduleSession session(schedule_config());
  RuleHandle untouched = session.rule();
  const double theta_0 = session.next(1, ScheduleSession::initial()).theta[0];
  RuleHandle copy = session.rule();
  session.next(50, ScheduleSession::data());

  const Data all = ScheduleSession::data();
  const gp::Inputs inputs = all.inputs();
  const Observations observations{.inputs = inputs, .y = all.y, .initial_points = kScheduleInitial};
  EXPECT_DOUBLE_EQ(copy->next_settings(observations, 16).theta[0], theta_0 / 4.0);
  EXPECT_NE(untouched->next_settings(observations, 1).theta[0], theta_0)
      << "a copy made before the first fit must make its own first fit, here on more data";
}

}  // namespace
}  // namespace oscbo::learners
