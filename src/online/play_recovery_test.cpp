#include "online/play_recovery.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace oscbo::online {
namespace {

Config without_regret_bounds() {
  Config config;
  config.edit<RecoveryOptions>().primal_regret = 0.0;
  config.edit<RecoveryOptions>().dual_regret = 0.0;
  return config;
}

/// A game that starts far above the violation limit.
Config hopeless() {
  Config config = without_regret_bounds();
  config.budget = 10;
  config.edit<RecoveryOptions>().initial_violation = 1e4;
  return config;
}

const Vector kFirst = Vector::Constant(1, 0.7);

PlayRecoveryGame game_of(const Config& config) { return {config, kFirst}; }

/// An oracle that records what it was given and always answers the same.
struct SpyOracle {
  int calls = 0;
  std::size_t utilities = 0;
  double start = 0.0;

  PlayRecoveryGame::Primal::Oracle answering(double theta) {
    return [this, theta](const std::vector<PointUtility>& seen, const Vector& /*eta*/,
                         const Vector& previous) {
      ++calls;
      utilities = seen.size();
      start = previous[0];
      return Vector(Vector::Constant(1, theta));
    };
  }
};

const Vector kNoPerturbation = Vector::Zero(1);

// --- the paper's settings ----------------------------------------------------------------------

TEST(Settings, YieldTheMarginCapAndFirstMultiplierOfTheMethodsText) {
  Config config;
  EXPECT_NEAR(effective_margin(config.get<RecoveryOptions>()), 0.285744, 5e-7);
  EXPECT_NEAR(initial_multiplier(config), 0.433358, 5e-7);
  config.edit<DualOptions>().start = DualOptions::Start::cap;
  EXPECT_NEAR(initial_multiplier(config), 3.499636, 5e-7);
  config.edit<DualOptions>().start = DualOptions::Start::one;
  EXPECT_EQ(initial_multiplier(config), 1.0);
  config.edit<DualOptions>().start = DualOptions::Start::number;
  config.edit<DualOptions>().start_value = 0.25;
  EXPECT_EQ(initial_multiplier(config), 0.25);
}

TEST(EffectiveMargin, IsTheLargerOfHalfTheMarginAndTheHorizonTerm) {
  RecoveryOptions config;
  config.margin_horizon = 100.0;
  EXPECT_NEAR(effective_margin(config), 0.31623, 5e-6);
  config.margin_horizon = 110.0;
  EXPECT_NEAR(effective_margin(config), 0.30878, 5e-6);
  config.margin = 1.0;
  EXPECT_EQ(effective_margin(config), 0.5);
}

struct Threshold {
  int round;
  double without_bounds;
  double with_bounds;
};

// The methods text prints each threshold rounded up to an integer.
TEST(ViolationLimit, HasThePrintedThresholds) {
  for (const auto& [round, without_bounds, with_bounds] :
       {Threshold{1, 186, 301}, Threshold{10, 464, 579}, Threshold{50, 1023, 1138},
        Threshold{100, 1461, 1576}}) {
    EXPECT_EQ(std::ceil(violation_limit(without_regret_bounds(), round)), without_bounds);
    EXPECT_EQ(std::ceil(violation_limit(Config{}, round)), with_bounds);
  }
}

TEST(ViolationLimit, WeightsTheRegretBoundsAsPrinted) {
  const double rho = effective_margin({});
  Config config = without_regret_bounds();
  const double base = violation_limit(config, 7);
  config.edit<RecoveryOptions>().primal_regret = 3.0;
  EXPECT_NEAR(violation_limit(config, 7) - base, 3.0 * (1.0 + 2.0 / rho), 1e-11);
  config.edit<RecoveryOptions>().primal_regret = 0.0;
  config.edit<RecoveryOptions>().dual_regret = 3.0;
  EXPECT_NEAR(violation_limit(config, 7) - base, 3.0 / rho, 1e-11);
}

TEST(ViolationLimit, CanUseTheBudgetAsTheTimeOfTheConcentrationTerm) {
  Config config;
  Config by_budget;
  by_budget.edit<RecoveryOptions>().slack_clock = RecoveryOptions::SlackClock::budget;
  EXPECT_EQ(violation_limit(by_budget, 100), violation_limit(config, 100));
  const double rho = effective_margin(config.get<RecoveryOptions>());
  EXPECT_NEAR(violation_limit(by_budget, 1) - violation_limit(by_budget, 100), 99.0 * rho, 1e-10);
  EXPECT_GT(violation_limit(by_budget, 1), violation_limit(config, 1));
}

TEST(ViolationLimit, UsesTheRoundAsTheBudgetPastTheBudget) {
  Config longer;
  longer.budget = 150;
  EXPECT_EQ(violation_limit(Config{}, 150), violation_limit(longer, 150));
  EXPECT_EQ(violation_limit(Config{}, 0), violation_limit(Config{}, 1));
}

// --- the switch --------------------------------------------------------------------------------

TEST(Switch, HappensOnlyStrictlyAboveTheLimit) {
  Config config;
  config.edit<RecoveryOptions>().initial_violation = violation_limit(config, 4);
  PlayRecoveryGame at_limit = game_of(config);
  at_limit.begin_round(4);
  EXPECT_EQ(at_limit.phase(), Phase::play);

  auto& recovery = config.edit<RecoveryOptions>();
  recovery.initial_violation =
      std::nextafter(recovery.initial_violation, std::numeric_limits<double>::max());
  PlayRecoveryGame beyond = game_of(config);
  beyond.begin_round(4);
  EXPECT_EQ(beyond.phase(), Phase::recovery);
}

TEST(Switch, HappensOnceAndIsNeverUndone) {
  PlayRecoveryGame game = game_of(hopeless());
  for (int t = 1; t <= 10; ++t) {
    game.begin_round(t);
    EXPECT_EQ(game.phase(), Phase::recovery);
    // The violation is first far above the limit, later far below it.
    game.recalibrate(t - 1, game.multiplier(), t < 5 ? 1.0 : -1e6);
    EXPECT_EQ(game.primal().utilities().size(), static_cast<std::size_t>(t));
  }
  EXPECT_LT(game.violation(), violation_limit(hopeless(), 10));
}

TEST(Switch, LiteralReadingRestartsInEveryRoundAboveTheLimit) {
  Config config = hopeless();
  config.edit<RecoveryOptions>().mode = RecoveryOptions::Mode::literal;
  PlayRecoveryGame game = game_of(config);
  for (int t = 1; t <= 5; ++t) {
    game.begin_round(t);
    EXPECT_TRUE(game.primal().utilities().empty());
    EXPECT_EQ(game.multiplier(), initial_multiplier(config));
    game.recalibrate(t - 1, game.multiplier(), 100.0);
    EXPECT_GT(game.multiplier(), initial_multiplier(config));
  }
  game.recalibrate(5, game.multiplier(), -1e6);  // back below the limit, so the learners continue
  game.begin_round(6);
  EXPECT_EQ(game.primal().utilities().size(), 2U);
}

TEST(Switch, CanBeTurnedOff) {
  Config config = hopeless();
  config.edit<RecoveryOptions>().mode = RecoveryOptions::Mode::off;
  PlayRecoveryGame game = game_of(config);
  game.begin_round(1);
  game.recalibrate(0, game.multiplier(), 1e6);
  game.begin_round(2);
  EXPECT_EQ(game.phase(), Phase::play);
  EXPECT_EQ(game.primal().utilities().size(), 1U);
}

// --- recovery ----------------------------------------------------------------------------------

TEST(Recovery, ForgetsTheUtilitiesOfPlayAndKeepsTheLengthscaleUntilFeedback) {
  PlayRecoveryGame game = game_of(without_regret_bounds());
  SpyOracle spy;
  game.observe_initial(0);
  game.begin_round(1);
  EXPECT_EQ(game.next_lengthscales(spy.answering(0.3), kNoPerturbation)[0], 0.3);
  game.recalibrate(1, game.multiplier(), 1e5);

  game.begin_round(2);
  ASSERT_EQ(game.phase(), Phase::recovery);
  EXPECT_TRUE(game.primal().utilities().empty());
  EXPECT_EQ(game.next_lengthscales(spy.answering(0.9), kNoPerturbation)[0], 0.3);
  EXPECT_EQ(spy.calls, 1);

  game.recalibrate(2, game.multiplier(), -0.5);
  game.begin_round(3);
  EXPECT_EQ(game.next_lengthscales(spy.answering(0.9), kNoPerturbation)[0], 0.9);
  EXPECT_EQ(spy.utilities, 1U);
  EXPECT_EQ(spy.start, 0.3);
}

TEST(Recovery, CanKeepTheUtilitiesOfPlayWithoutTheirSharpness) {
  Config config = without_regret_bounds();
  config.edit<RecoveryOptions>().history = RecoveryOptions::History::keep;
  PlayRecoveryGame game = game_of(config);
  game.observe_initial(0);
  game.recalibrate(1, 0.25, 1e5);
  game.begin_round(2);

  const std::vector<PointUtility>& kept = game.primal().utilities();
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].sharpness_weight, 0.0);
  EXPECT_EQ(kept[0].calibration_weight, initial_multiplier(config));
  EXPECT_EQ(kept[1].point, 1);
  EXPECT_EQ(kept[1].sharpness_weight, 0.0);
  EXPECT_EQ(kept[1].calibration_weight, 0.25);
  SpyOracle spy;
  game.next_lengthscales(spy.answering(0.9), kNoPerturbation);
  EXPECT_EQ(spy.utilities, 2U) << "the objective has changed, so the leader must move at once";
}

TEST(Recovery, KeptUtilitiesHaveTheRecoveryWeightAfterEveryEntry) {
  Config config = hopeless();
  config.edit<RecoveryOptions>().mode = RecoveryOptions::Mode::literal;
  config.edit<RecoveryOptions>().history = RecoveryOptions::History::keep;
  config.edit<RecoveryOptions>().sharpness_weight = 0.5;
  PlayRecoveryGame game = game_of(config);
  game.observe_initial(0);
  for (int t = 1; t <= 3; ++t) game.begin_round(t);
  EXPECT_EQ(game.primal().utilities().front().sharpness_weight, 0.5);
}

TEST(Recovery, WeightsCalibrationOnly) {
  Config config = hopeless();
  for (const double weight : {0.0, 0.25}) {
    config.edit<RecoveryOptions>().sharpness_weight = weight;
    PlayRecoveryGame game = game_of(config);
    game.begin_round(1);
    game.recalibrate(3, 0.8, 0.1);
    game.observe_unasked(4);
    for (const PointUtility& utility : game.primal().utilities()) {
      EXPECT_EQ(utility.sharpness_weight, weight);
      EXPECT_GT(utility.calibration_weight, 0.0);
    }
  }
}

TEST(Recovery, RestartsTheMultiplierAtItsInitialValueAtMostOne) {
  Config config = hopeless();
  const auto first_in_recovery = [&] {
    PlayRecoveryGame game = game_of(config);
    game.begin_round(1);
    return game.multiplier();
  };
  EXPECT_EQ(first_in_recovery(), initial_multiplier(config));
  config.edit<DualOptions>().start = DualOptions::Start::cap;
  EXPECT_EQ(first_in_recovery(), 1.0);
  config.edit<RecoveryOptions>().start_multiplier = 0.3;
  EXPECT_EQ(first_in_recovery(), 0.3);
}

TEST(Recovery, CapsTheMultiplierAtOneEvenIfPlayAllowsMore) {
  Config config = without_regret_bounds();
  PlayRecoveryGame game = game_of(config);
  game.recalibrate(0, game.multiplier(), 1e5);
  EXPECT_NEAR(game.multiplier(), 3.499636, 5e-7);
  game.begin_round(1);
  ASSERT_EQ(game.phase(), Phase::recovery);
  game.recalibrate(1, game.multiplier(), 1e5);
  EXPECT_EQ(game.multiplier(), 1.0);
}

// --- feedback ----------------------------------------------------------------------------------

TEST(Feedback, MovesViolationMultiplierAndLeader) {
  const Config config;
  PlayRecoveryGame game = game_of(config);
  const double first = game.multiplier();
  game.recalibrate(5, first, 2.0);
  game.recalibrate(6, first, -0.5);  // told late, predicted with the first multiplier
  EXPECT_EQ(game.violation(), 1.5);
  EXPECT_NEAR(game.multiplier(), first * std::exp(0.001 * 1.5), 1e-15);
  const std::vector<PointUtility>& utilities = game.primal().utilities();
  ASSERT_EQ(utilities.size(), 2U);
  EXPECT_EQ(utilities[0].point, 5);
  EXPECT_EQ(utilities[0].sharpness_weight, 1.0);
  EXPECT_EQ(utilities[0].calibration_weight, first);
  EXPECT_EQ(utilities[1].calibration_weight, first);
}

TEST(Feedback, CanWeightAPointByTheMultiplierAfterItsOwnUpdate) {
  Config config;
  config.edit<DualOptions>().weight_after_update = true;
  PlayRecoveryGame game = game_of(config);
  game.recalibrate(0, game.multiplier(), 2.0);
  EXPECT_EQ(game.primal().utilities().front().calibration_weight, game.multiplier());
  EXPECT_NEAR(game.multiplier(), initial_multiplier(config) * std::exp(0.002), 1e-15);
}

TEST(Feedback, IsClippedInViolationAndMultiplierIfConfigured) {
  Config config;
  config.edit<DualOptions>().clip = 1.0;
  PlayRecoveryGame game = game_of(config);
  game.recalibrate(0, game.multiplier(), 500.0);
  EXPECT_EQ(game.violation(), 1.0);
  EXPECT_NEAR(game.multiplier(), initial_multiplier(config) * std::exp(0.001), 1e-15);
  game.recalibrate(1, game.multiplier(), -0.75);
  EXPECT_EQ(game.violation(), 0.25);
}

TEST(Feedback, ViolationStartsAtTheConfiguredValue) {
  Config config;
  config.edit<RecoveryOptions>().initial_violation = -2.5;
  PlayRecoveryGame game = game_of(config);
  game.recalibrate(0, game.multiplier(), 1.0);
  EXPECT_EQ(game.violation(), -1.5);
}

TEST(InitialPoint, EntersTheSumAsConfigured) {
  Config config;
  const auto utilities = [&](PrimalOptions::InitialWeight weight) {
    config.edit<PrimalOptions>().initial_weight = weight;
    PlayRecoveryGame game = game_of(config);
    game.observe_initial(2);
    return game.primal().utilities();
  };
  const auto weighted = utilities(PrimalOptions::InitialWeight::multiplier);
  ASSERT_EQ(weighted.size(), 1U);
  EXPECT_EQ(weighted[0].point, 2);
  EXPECT_EQ(weighted[0].sharpness_weight, 1.0);
  EXPECT_EQ(weighted[0].calibration_weight, initial_multiplier(config));
  const auto log_det_only = utilities(PrimalOptions::InitialWeight::zero);
  ASSERT_EQ(log_det_only.size(), 1U);
  EXPECT_EQ(log_det_only[0].sharpness_weight, 1.0);
  EXPECT_EQ(log_det_only[0].calibration_weight, 0.0);
  EXPECT_TRUE(utilities(PrimalOptions::InitialWeight::exclude).empty());
  EXPECT_TRUE(utilities(PrimalOptions::InitialWeight::prior_only).empty());
}

TEST(UnaskedPoint, HasTheMultiplierInForceAndGivesNoFeedback) {
  PlayRecoveryGame game = game_of({});
  game.recalibrate(0, game.multiplier(), 100.0);
  const double in_force = game.multiplier();
  game.observe_unasked(1);
  EXPECT_EQ(game.primal().utilities().back().point, 1);
  EXPECT_EQ(game.primal().utilities().back().sharpness_weight, 1.0);
  EXPECT_EQ(game.primal().utilities().back().calibration_weight, in_force);
  EXPECT_EQ(game.multiplier(), in_force);
  EXPECT_EQ(game.violation(), 100.0);
}

// --- the whole game against an environment -----------------------------------------------------

/// A small lengthscale theta in [0, 1] is sharp (L^s = theta), and a large one is calibrated (L^c =
/// 20 - 40 theta). The first multiplier is so small that the play phase always prefers theta = 0.
struct Environment {
  static double calibration_loss(double theta) { return 20.0 - 40.0 * theta; }

  static Config config(RecoveryOptions::Mode mode) {
    Config config = without_regret_bounds();
    config.budget = 200;
    config.edit<DualOptions>().start = DualOptions::Start::number;
    config.edit<DualOptions>().start_value = 0.01;
    config.edit<DualOptions>().rate = 1e-6;
    config.edit<RecoveryOptions>().mode = mode;
    return config;
  }

  /// argmin of sum_j v_j theta - 40 w_j theta over [0, 1]: one of the ends.
  static Vector leader(const std::vector<PointUtility>& utilities, const Vector& /*eta*/,
                       const Vector& /*start*/) {
    double slope = 0.0;
    for (const PointUtility& u : utilities)
      slope += u.sharpness_weight - 40.0 * u.calibration_weight;
    return Vector::Constant(1, slope > 0.0 ? 0.0 : 1.0);
  }
};

struct Course {
  std::vector<Phase> phases;
  std::vector<double> violations;
  double final_multiplier = 0.0;
};

Course play_out(const Config& config) {
  Course course;
  PlayRecoveryGame game(config, Vector::Zero(1));
  for (int t = 1; t <= config.budget; ++t) {
    game.begin_round(t);
    const double theta = game.next_lengthscales(Environment::leader, kNoPerturbation)[0];
    game.recalibrate(t - 1, game.multiplier(), Environment::calibration_loss(theta));
    course.phases.push_back(game.phase());
    course.violations.push_back(game.violation());
  }
  course.final_multiplier = game.multiplier();
  return course;
}

TEST(Environment, ViolationGrowsInPlayAndIsRepaidInRecovery) {
  const Config config = Environment::config(RecoveryOptions::Mode::once);
  const Course course = play_out(config);
  const auto first_recovery =
      std::find(course.phases.begin(), course.phases.end(), Phase::recovery);
  const auto played = first_recovery - course.phases.begin();
  EXPECT_TRUE(std::all_of(first_recovery, course.phases.end(),
                          [](Phase phase) { return phase == Phase::recovery; }));

  // The game switches in the first round that starts above the limit.
  ASSERT_GT(played, 10);
  ASSERT_LT(played, 100);
  const auto round = static_cast<int>(played) + 1;
  const double at_switch = course.violations[static_cast<std::size_t>(played) - 1];
  EXPECT_DOUBLE_EQ(at_switch, 20.0 * static_cast<double>(played));
  EXPECT_GT(at_switch, violation_limit(config, round));
  EXPECT_LE(at_switch - 20.0, violation_limit(config, round - 1));

  // One more round uses the kept lengthscale. Every later round repays.
  const double peak = *std::max_element(course.violations.begin(), course.violations.end());
  EXPECT_DOUBLE_EQ(peak, at_switch + 20.0);
  EXPECT_LE(course.violations.back(), 0.0);
  EXPECT_LE(course.final_multiplier, 1.0);
}

TEST(Environment, ViolationIsNotRepaidWithoutRecovery) {
  const Course course = play_out(Environment::config(RecoveryOptions::Mode::off));
  EXPECT_DOUBLE_EQ(course.violations.back(), 200.0 * 20.0);
}

TEST(InitialPoints, AreWeightedByTheMultiplierInForceIfTheFirstExceedsTheCap) {
  Config config;
  config.edit<DualOptions>().start = DualOptions::Start::number;
  config.edit<DualOptions>().start_value = 1000.0;
  PlayRecoveryGame game(config, Vector::Ones(1));
  game.observe_initial(0);
  EXPECT_EQ(game.primal().utilities().front().calibration_weight, game.multiplier());
  EXPECT_DOUBLE_EQ(game.multiplier(), 1.0 / effective_margin(config.get<RecoveryOptions>()));
}

}  // namespace
}  // namespace oscbo::online
