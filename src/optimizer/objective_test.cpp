#include "oscbo/objective.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "optimizer/optimizer_test_support.hpp"

namespace oscbo {
namespace {

using test::expect_refused;
using test::kSquare;
using test::short_config;

const Objective kCost{.name = "cost", .goal = Goal::minimize};

/// measured_square returns a box with an outcome.
Space measured_square() {
  return Space({.parameters = {{.name = "a", .lower = -5.0, .upper = 10.0},
                               {.name = "b", .lower = 0.0, .upper = 15.0}},
                .outcomes = {{.name = "weight", .upper = 20.0}}});
}

Measurement measured(const std::vector<double>& x, double sign) {
  return {.y = sign * test::hill(x), .variance = std::nullopt, .outcomes = {x[0] + x[1]}};
}

TEST(Objective, TurnsValuesSoThatLargeOnesAreGood) {
  EXPECT_EQ(Objective().to_maximised(3.0), 3.0);
  EXPECT_EQ(kCost.to_maximised(3.0), -3.0);
  EXPECT_EQ(kCost.from_maximised(kCost.to_maximised(3.0)), 3.0);
  EXPECT_TRUE(is_better(Goal::maximize, 2.0, 1.0));
  EXPECT_TRUE(is_better(Goal::minimize, 1.0, 2.0));
  EXPECT_FALSE(is_better(Goal::minimize, 1.0, 1.0));
}

TEST(Goal, SaysWhatIsGood) {
  EXPECT_TRUE(is_as_good(Goal::maximize, 2.0, 1.0));
  EXPECT_TRUE(is_as_good(Goal::minimize, 1.0, 2.0));
  EXPECT_FALSE(is_as_good(Goal::minimize, 2.0, 1.0));
  EXPECT_EQ(gain_over(Goal::maximize, 3.0, 1.0), 2.0);
  EXPECT_EQ(gain_over(Goal::minimize, 3.0, 1.0), -2.0);
  for (const Goal goal : {Goal::maximize, Goal::minimize}) {
    EXPECT_TRUE(is_as_good(goal, 1.0, 1.0));
    EXPECT_FALSE(is_as_good(goal, std::nan(""), 1.0)) << "nothing is known about NaN";
    EXPECT_FALSE(is_as_good(goal, 1.0, std::nan("")));
    EXPECT_TRUE(std::isnan(gain_over(goal, std::nan(""), 1.0)));
    for (const double value : {-1e308, 0.0, 1e308}) {
      EXPECT_TRUE(is_better(goal, value, worst_value(goal)));
    }
  }
}

TEST(Objective, OneIsAcceptedForNow) {
  for (const std::vector<Objective>& objectives : {std::vector<Objective>(), {kCost, kCost}}) {
    expect_refused([&] { Optimizer(kSquare, short_config(), 0, objectives); },
                   ErrorCode::invalid_value, "objectives");
  }
  try {
    check_objectives(std::vector{Objective(), kCost});
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "objectives: 2 are declared; exactly one is accepted");
  }
  EXPECT_EQ(Optimizer(kSquare, short_config(), 0, {kCost}).objectives().front().name, "cost");
  EXPECT_EQ(Optimizer(kSquare).objectives().front().goal, Goal::maximize);
}

TEST(PerObjective, IsMadeOfASingleElementToo) {
  EXPECT_EQ(PerObjective<double>().size(), 1U);
  const Measurement single{.y = 1.5, .variance = 0.5};
  EXPECT_EQ(single.y, PerObjective<double>({1.5}));
  EXPECT_EQ(single.variance.front(), 0.5);
  const Measurement two{.y = {1.5, 2.5}, .variance = {std::nullopt, 1.0}};
  EXPECT_EQ(two.y.size(), 2U);
  EXPECT_EQ(two.y[1], 2.5);
  EXPECT_FALSE(two.variance[0]);
}

TEST(Optimizer, IsToldOneValueForEachObjective) {
  Optimizer optimizer(kSquare, short_config());
  const TrialId trial = optimizer.ask().trial;
  expect_refused([&] { optimizer.tell(trial, {.y = {1.0, 2.0}}); }, ErrorCode::invalid_value, "y");
  expect_refused([&] { optimizer.tell(trial, {.y = std::initializer_list<double>{}}); },
                 ErrorCode::invalid_value, "y");
  expect_refused(
      [&] {
        optimizer.tell(trial, {.y = 1.0, .variance = {1.0, 2.0}});
      },
      ErrorCode::invalid_value, "variance");
  EXPECT_EQ(optimizer.trials()[trial].state, TrialState::pending);
}

class Direction : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, Direction, testing::Values("auto", "oscbo", "random"));

/// Minimising f does the same as maximising -f, bit for bit, and reports it in the units of f.
TEST_P(Direction, IsTheUsersOutsideOfTheOptimizer) {
  const Config config = short_config(GetParam());
  Optimizer up(measured_square(), config, 3);
  Optimizer down(measured_square(), config, 3, {kCost});
  const auto expect_mirrored = [](const std::optional<Prediction>& maximised,
                                  std::optional<Prediction> minimised) {
    if (minimised) minimised->mean = -minimised->mean;
    test::expect_same(maximised, minimised);
  };
  for (int i = 0; i < 12; ++i) {
    const Suggestion high = up.ask();
    const Suggestion low = down.ask();
    EXPECT_EQ(high.x, low.x);
    expect_mirrored(high.prediction, low.prediction);
    ASSERT_EQ(high.outcomes.size(), low.outcomes.size());
    for (std::size_t c = 0; c < high.outcomes.size(); ++c) {
      test::expect_same(high.outcomes[c], low.outcomes[c]);
    }
    up.tell(high.trial, measured(high.x, 1.0));
    down.tell(low.trial, measured(low.x, -1.0));
  }
  for (std::size_t i = 0; i < up.trials().size(); ++i) {
    const Trial& high = up.trials()[i];
    const Trial& low = down.trials()[i];
    EXPECT_EQ(*high.y(), -*low.y());
    expect_mirrored(high.prediction(), low.prediction());
    test::expect_same_fields(high.feedback(), low.feedback());
    EXPECT_EQ(high.outcomes[0].value, low.outcomes[0].value);
  }
  EXPECT_EQ(up.recommendation().trial.id, down.recommendation().trial.id);
  if (GetParam() != std::string("random")) {
    const std::vector<std::vector<double>> points = {{1.0, 2.0}, {3.0, 4.0}};
    for (std::size_t i = 0; i < points.size(); ++i) {
      expect_mirrored(up.predict(points)[i], down.predict(points)[i]);
      test::expect_same(up.predict_outcome(0, points)[i], down.predict_outcome(0, points)[i]);
    }
  }
}

TEST(Direction, SurvivesAReplayAndAWiderSpace) {
  const Config config = short_config("auto");
  Optimizer up(kSquare, config, 3);
  Optimizer down(kSquare, config, 3, {kCost});
  test::run(up, 8, test::hill);
  test::run(down, 8, [](const std::vector<double>& x) { return -test::hill(x); });
  const Space wider = Space::of_box(
      std::vector<Bounds>{{.lower = -6.0, .upper = 11.0}, {.lower = 0.0, .upper = 15.0}});
  up.widen(wider);
  down.widen(wider);
  EXPECT_EQ(up.ask().x, down.ask().x);
  Optimizer again = Optimizer::replay(Space::of_box(kSquare), config, 3, down.log(), {kCost});
  test::expect_same(again.trials(), down.trials());
  EXPECT_EQ(again.ask().x, down.ask().x);
}

}  // namespace
}  // namespace oscbo
