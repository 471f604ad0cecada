// Limits on outcomes, failed evaluations, and observations with known noise.
#include <cmath>

#include <gtest/gtest.h>

#include "optimizer/optimizer_test_support.hpp"
#include "oscbo/calibration.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo {
namespace {

using test::expect_refused;
using test::kSquare;
using test::short_config;

/// disc limits x^2 + y^2 to 1. With the objective x + y of on_disc, the best point is (1, 1) /
/// sqrt(2).
Space disc() {
  return Space({.parameters = {{.name = "x", .lower = -2.0, .upper = 2.0},
                               {.name = "y", .lower = -2.0, .upper = 2.0}},
                .outcomes = {{.name = "radius", .upper = 1.0}}});
}

Measurement on_disc(const std::vector<double>& x) {
  return {.y = x[0] + x[1], .variance = std::nullopt, .outcomes = {x[0] * x[0] + x[1] * x[1]}};
}

class AcquisitionOnOutcomes : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Every, AcquisitionOnOutcomes,
                         testing::Values("ucb", "logei", "ei", "pi", "thompson"));

TEST_P(AcquisitionOnOutcomes, FindsTheBestAcceptablePoint) {
  Config config = method_config("auto");
  set_option(config, "acquisition", GetParam());
  Optimizer optimizer(disc(), config, 3);
  for (int i = 0; i < 40; ++i) {
    const Suggestion next = optimizer.ask();
    optimizer.tell(next.trial, on_disc(next.x));
  }
  const Recommendation best = optimizer.recommendation();
  EXPECT_TRUE(best.is_acceptable);
  EXPECT_LE(*best.trial.outcomes[0].value, 1.0);
  EXPECT_GT(*best.trial.y(), std::sqrt(2.0) - 0.15);
}

TEST(Outcomes, EachIsPredictedAndJudged) {
  Optimizer optimizer(disc(), method_config("auto"), 3);
  for (int i = 0; i < 20; ++i) {
    const Suggestion next = optimizer.ask();
    EXPECT_EQ(next.outcomes.size(), next.prediction ? 1U : 0U);
    EXPECT_GE(next.acceptable, 0.0);
    EXPECT_LE(next.acceptable, 1.0);
    optimizer.tell(next.trial, on_disc(next.x));
  }
  for (const Trial& trial : optimizer.trials()) {
    EXPECT_EQ(trial.feedback().has_value(), trial.prediction().has_value());
    EXPECT_EQ(trial.outcomes[0].feedback.has_value(), trial.prediction().has_value());
  }
  const std::vector points(1, std::vector{0.6, 0.8});
  const double outcome = optimizer.predict_outcome(0, points)[0].mean;
  EXPECT_NEAR(outcome, 1.0, 0.1);
  EXPECT_EQ(optimizer.predict_quantity(0, points)[0].mean, optimizer.predict(points)[0].mean);
  EXPECT_EQ(optimizer.predict_quantity(1, points)[0].mean, outcome);
  expect_refused([&] { static_cast<void>(optimizer.predict_quantity(2, points)); },
                 ErrorCode::unknown_name, "quantity");
  expect_refused([&] { static_cast<void>(optimizer.predict_outcome(1, {})); },
                 ErrorCode::unknown_name, "outcome");
}

// Acceptable points lie within 0.1 of (0.7, 0.7, 0.7), which is less than a hundredth of the box.
TEST(Outcomes, AFirstAcceptablePointIsSearchedFor) {
  const Space space({.parameters = {{.name = "x"}, {.name = "y"}, {.name = "z"}},
                     .outcomes = {{.name = "miss", .upper = 0.01}}});
  Optimizer optimizer(space, method_config("auto"), 1);
  int first = -1;
  for (int i = 0; i < 40; ++i) {
    const Suggestion next = optimizer.ask();
    double miss = 0.0;
    for (const double x : next.x) miss += std::pow(x - 0.7, 2);
    if (miss <= 0.01 && first < 0) first = i;
    optimizer.tell(next.trial, {.y = next.x[0], .variance = std::nullopt, .outcomes = {miss}});
    EXPECT_EQ(optimizer.recommendation().is_acceptable, first >= 0);
    EXPECT_EQ(optimizer.trials().back().is_acceptable, miss <= 0.01);
  }
  EXPECT_GE(first, 0);
  EXPECT_LT(first, 25);
}

TEST(Outcomes, AreNamedWhereOneIsMissing) {
  Optimizer optimizer(disc(), short_config("auto"));
  const TrialId trial = optimizer.ask().trial;
  try {
    optimizer.tell(trial, 1.0);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the space has 1, in this order: radius"),
              std::string::npos)
        << error.what();
  }
}

TEST(Outcomes, WrongOnesAreRefused) {
  Optimizer optimizer(disc(), short_config("auto"));
  const TrialId trial = optimizer.ask().trial;
  expect_refused([&] { optimizer.tell(trial, 1.0); }, ErrorCode::invalid_value, "outcomes");
  expect_refused(
      [&] {
        optimizer.tell(trial, {.y = 1.0, .variance = std::nullopt, .outcomes = {std::nan("")}});
      },
      ErrorCode::invalid_value, "outcomes.radius");
  expect_refused([&] { optimizer.tell(trial, {.y = 1.0, .variance = -1.0, .outcomes = {0.0}}); },
                 ErrorCode::invalid_value, "variance");
  EXPECT_EQ(optimizer.trials()[trial].state, TrialState::pending);
}

// --- failures ------------------------------------------------------------------------------------

TEST(Failures, TheModelOfTheObjectiveDoesNotSeeThem) {
  const auto run = [](bool fails) {
    Optimizer optimizer(kSquare, short_config("oscbo"), 0);
    for (int i = 0; i < 6; ++i) {
      const std::vector<double> x = {0.3 * i - 1.0, 2.0 * i};
      optimizer.tell(x, test::hill(x));
    }
    if (fails) optimizer.tell_failed(std::vector{5.0, 5.0});
    return test::prediction_at(optimizer, {5.0, 5.0});
  };
  EXPECT_EQ(run(true).mean, run(false).mean);
  EXPECT_EQ(run(true).sd, run(false).sd);
}

TEST(Failures, ARegionThatAlwaysFailsIsAvoided) {
  Optimizer optimizer(kSquare, method_config("auto"), 5);
  const auto fails = [](const std::vector<double>& x) { return x[0] > 4.0; };
  int late = 0;
  for (int i = 0; i < 50; ++i) {
    const Suggestion next = optimizer.ask();
    if (fails(next.x)) {
      optimizer.tell_failed(next.trial);
      late += i >= 20 ? 1 : 0;
    } else {
      // The higher of the two hills is in the region.
      const auto hill_at = [&](double x, double y) {
        return std::exp(-(std::pow(next.x[0] - x, 2) + std::pow(next.x[1] - y, 2)) / 8.0);
      };
      optimizer.tell(next.trial, hill_at(0.0, 5.0) + 1.5 * hill_at(7.0, 10.0));
    }
  }
  EXPECT_LT(late, 8) << "of 30";
  const auto succeeds_at = [&](double x, double y) {
    optimizer.queue(std::vector{x, y});
    return optimizer.ask().succeeds;
  };
  EXPECT_LT(succeeds_at(7.0, 10.0), 0.2);
  EXPECT_GT(succeeds_at(0.5, 5.5), 0.9);
  EXPECT_GT(*optimizer.recommendation().trial.y(), 0.99);
}

TEST(Failures, EndTrialsThatCannotBeToldAgain) {
  Optimizer optimizer(kSquare, short_config("auto"));
  const TrialId trial = optimizer.ask().trial;
  optimizer.tell_failed(trial);
  EXPECT_EQ(optimizer.trials()[trial].state, TrialState::failed);
  expect_refused([&] { optimizer.tell(trial, 1.0); }, ErrorCode::conflict, "trial");
  expect_refused([&] { optimizer.tell_failed(trial); }, ErrorCode::conflict, "trial");
  expect_refused([&] { optimizer.abandon(trial); }, ErrorCode::conflict, "trial");
}

TEST(Failures, AreWhatIsAdvisedForValuesThatAreNone) {
  Optimizer optimizer(kSquare, short_config("auto"));
  const TrialId trial = optimizer.ask().trial;
  try {
    optimizer.tell(trial, std::nan(""));
    ADD_FAILURE() << "NaN was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("tell that the trial failed"), std::string::npos);
  }
}

TEST(Failures, EvenIfNothingElseHappens) {
  Optimizer optimizer(kSquare, short_config("auto"));
  for (int i = 0; i < 15; ++i) optimizer.tell_failed(optimizer.ask().trial);
  const Suggestion next = optimizer.ask();
  optimizer.tell(next.trial, 1.0);
  EXPECT_NO_THROW(optimizer.ask());
}

// --- pending points ------------------------------------------------------------------------------

TEST(Pending, PointsStayApart) {
  Optimizer optimizer = test::after_rounds(20, method_config("auto"));
  const std::vector<Suggestion> batch = optimizer.ask(6);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GT(std::hypot(batch[i].x[0] - batch[j].x[0], batch[i].x[1] - batch[j].x[1]), 1e-3);
    }
  }
}

TEST(Pending, AbandonedPointsAreNoLongerAccountedFor) {
  Optimizer optimizer = test::after_rounds(12, method_config("gp-ucb-mll"));
  const Suggestion next = optimizer.ask();
  static_cast<void>(optimizer.ask());
  const double while_pending = test::prediction_at(optimizer, next.x).sd;
  optimizer.abandon(next.trial);
  EXPECT_EQ(optimizer.trials()[next.trial].state, TrialState::abandoned);
  EXPECT_GT(test::prediction_at(optimizer, next.x).sd, 1.5 * while_pending);
  expect_refused([&] { optimizer.tell(next.trial, 1.0); }, ErrorCode::conflict, "trial");
}

// --- noise ---------------------------------------------------------------------------------------

TEST(KnownNoise, PreciseObservationsWeighMore) {
  for (const char* const method : {"auto", "oscbo", "gp-ucb-mll", "vanilla-bo"}) {
    Optimizer optimizer({{0.0, 1.0}}, short_config(method));
    for (int i = 0; i <= 10; ++i) {
      const std::vector<double> x = {0.1 * i};
      optimizer.tell(x, {.y = std::sin(5.0 * x[0]), .variance = 1e-6});
      optimizer.tell(x, {.y = std::sin(5.0 * x[0]) + (i % 2 == 0 ? 2.0 : -2.0), .variance = 4.0});
    }
    for (const double x : {0.05, 0.45, 0.95}) {
      EXPECT_NEAR(test::prediction_at(optimizer, {x}).mean, std::sin(5.0 * x), 0.05) << method;
    }
  }
}

TEST(KnownNoise, RecommendationGoesByTheMeanAndSaysSo) {
  Optimizer optimizer = test::after_rounds(12, method_config("auto"));
  EXPECT_EQ(optimizer.recommendation().by, RecommendedBy::observed);
  const std::vector<double> corner = {9.5, 14.5};
  optimizer.tell(corner, {.y = 100.0, .variance = 1e6});
  const Recommendation best = optimizer.recommendation();
  EXPECT_EQ(best.by, RecommendedBy::mean);
  EXPECT_NE(best.trial.x, corner);
}

TEST(KnownNoise, ReplicatesComeToTheirMean) {
  const Measurement mean = mean_of(std::vector{1.0, 2.0, 4.0, 5.0});
  EXPECT_DOUBLE_EQ(mean.y.front(), 3.0);
  EXPECT_DOUBLE_EQ(*mean.variance.front(), 10.0 / 3.0 / 4.0);
  expect_refused([] { static_cast<void>(mean_of(std::vector{1.0})); }, ErrorCode::invalid_value,
                 "replicates");
  try {
    static_cast<void>(mean_of(std::vector{1.0}));
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "1 value is not accepted; use two at least");
  }
}

}  // namespace
}  // namespace oscbo
