// Predictions of the model at any point, without opening a trial.
#include <gtest/gtest.h>

#include "model/auto_options.hpp"
#include "optimizer/optimizer_test_support.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo {
namespace {

using test::after_rounds;
using test::hill;
using test::kSquare;

class Predict : public testing::TestWithParam<test::Composition> {
 protected:
  static const Config& config() { return GetParam().config; }
};
INSTANTIATE_TEST_SUITE_P(EveryComposition, Predict,
                         testing::ValuesIn(test::compositions_with_model()), test::test_name);

const std::vector<std::vector<double>> kPoints = {{-5.0, 0.0}, {1.0, 2.0}, {9.5, 14.0}};

TEST_P(Predict, SaysWhatTheFollowingSuggestionRecords) {
  Config whole = config();
  whole.edit<model::AutoOptions>().near_best_every =
      0;  // a round of auto or pfn may look at a part of the data
  whole.edit<in_context::PfnOptions>().near_best_every = 0;
  whole.edit<model::AutoOptions>().locks_below = 0.0;
  Optimizer optimizer = after_rounds(8, whole);
  for (int i = 0; i < 3; ++i) {
    Optimizer asked = optimizer;
    Suggestion next = asked.ask();
    next.prediction->objective_evaluations = 0;  // these belong to the ask
    test::expect_same(test::prediction_at(optimizer, next.x), next.prediction);
    test::run(optimizer, 1, hill);
  }
}

TEST_P(Predict, GivesEveryPointItsOwnPrediction) {
  Optimizer optimizer = after_rounds(8, config());
  const std::vector<Prediction> together = optimizer.predict(kPoints);
  ASSERT_EQ(together.size(), kPoints.size());
  for (std::size_t i = 0; i < kPoints.size(); ++i) {
    test::expect_same(test::prediction_at(optimizer, kPoints[i]), together[i]);
  }
  EXPECT_NE(together[0].mean, together[1].mean);
  EXPECT_TRUE(optimizer.predict({}).empty());
}

TEST_P(Predict, LeavesNoTrace) {
  Optimizer plain = after_rounds(6, config());
  Optimizer curious = plain;
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(curious.predict(kPoints));
    static_cast<void>(curious.predict(kPoints));
    test::expect_same(curious.ask(), plain.ask());
    static_cast<void>(curious.predict(kPoints));
    const Trial last = plain.trials().back();
    for (Optimizer* optimizer : {&plain, &curious}) optimizer->tell(std::vector{1.0 + i, 2.0}, 0.5);
    static_cast<void>(curious.predict(kPoints));  // a fit without a suggestion
    for (Optimizer* optimizer : {&plain, &curious}) optimizer->tell(last.id, hill(last.x));
  }
  EXPECT_EQ(curious.log().size(), plain.log().size());
  test::expect_same(curious.trials(), plain.trials());
  const Optimizer replay = Optimizer::replay(Space::of_box(kSquare), config(), 0, curious.log());
  test::expect_same(replay.trials(), curious.trials());
}

// Every other round of auto looks at a part of the data, so these predictions are of a model that
// is made for asks with given values.
TEST(PredictAfterGivenValues, AccountsForPointsThatHaveBecomePending) {
  Optimizer optimizer = after_rounds(12, test::short_config("auto"));
  const std::string name = optimizer.space().declaration().parameters.front().name;
  for (int i = 0; i < 6; ++i) {
    const std::vector<Given> given = {{.parameter = name, .value = -4.0 + 2.0 * i}};
    const Suggestion first = optimizer.ask(given);
    const Suggestion second = optimizer.ask();
    EXPECT_LT(test::prediction_at(optimizer, first.x).sd, 0.1 * first.prediction->sd) << i;
    optimizer.tell(first.trial, hill(first.x));
    optimizer.tell(second.trial, hill(second.x));
  }
}

// The best point is chosen by the mean if the learned noise matters, and by the value if not.
TEST(Recommendation, IsNotMovedByPredictions) {
  const Config config = test::short_config("auto");
  Optimizer plain(kSquare, config, 3);
  numeric::RandomStream stream(1, numeric::Purpose::observation_noise);
  bool has_found_noise = false;
  for (int i = 0; i < 24; ++i) {
    const Suggestion next = plain.ask();
    plain.tell(next.trial, hill(next.x) + stream.normal());
    if (plain.rounds() == 0) continue;
    Optimizer curious = plain;
    static_cast<void>(curious.predict(kPoints));
    EXPECT_EQ(curious.recommendation().by, plain.recommendation().by) << i;
    EXPECT_EQ(curious.recommendation().trial.id, plain.recommendation().trial.id) << i;
    has_found_noise = has_found_noise || plain.recommendation().by == RecommendedBy::mean;
  }
  EXPECT_TRUE(has_found_noise);
}

TEST_P(Predict, IsRefusedInTheInitialDesign) {
  Optimizer optimizer(kSquare, config());
  const auto predict = [&] { static_cast<void>(optimizer.predict(kPoints)); };
  for (int i = 0; i < config().initial_points; ++i) {
    test::expect_refused(predict, ErrorCode::conflict, "model");
    test::run(optimizer, 1, hill);
  }
  EXPECT_NO_THROW(predict());
}

TEST_P(Predict, RefusesPointsOutsideTheBox) {
  Optimizer optimizer = after_rounds(6, config());
  const auto predict = [&](std::vector<double> x) {
    return [&, x] { static_cast<void>(optimizer.predict(std::vector{kPoints[0], x})); };
  };
  test::expect_refused(predict({-5.1, 2.0}), ErrorCode::invalid_value, "x[0]");
  test::expect_refused(predict({1.0}), ErrorCode::invalid_value, "x");
}

TEST_P(Predict, KnowsLessFarFromTheData) {
  if (config().learner == "tabicl") return;  // its weights are random here
  Optimizer optimizer = after_rounds(8, config());
  EXPECT_LT(test::prediction_at(optimizer, optimizer.trials().front().x).sd,
            test::prediction_at(optimizer, {10.0, 0.0}).sd);
}

// The confidence bounds of OCBO and SCGP have their own multiplier, which is the same everywhere.
// For SCGP it multiplies the sd with noise.
TEST(ConfidenceBound, HasOneMultiplierEverywhere) {
  for (const char* method : {"ocbo", "scgp"}) {
    const Config config = test::short_config(method);
    Optimizer optimizer = after_rounds(12, config);
    std::vector<double> y;
    for (const Trial& trial : optimizer.trials()) y.push_back(*trial.y());
    const test::Units units = test::units_of(config, y);
    std::vector<double> multipliers;
    for (const Prediction& p : optimizer.predict(kPoints)) {
      const double sd = method == std::string("scgp") ? p.observation_sd : p.sd;
      multipliers.push_back((p.acquisition - (p.mean - units.mean) / units.sd) / (sd / units.sd));
    }
    EXPECT_NEAR(multipliers[1], multipliers[0], 1e-9);
    EXPECT_NEAR(multipliers[2], multipliers[0], 1e-9);
    EXPECT_GT(std::abs(multipliers[0] - std::sqrt(2.0)), 1e-3);
  }
}

TEST(PredictOfControls, IsRefused) {
  for (const char* method : {"random", "sobol"}) {
    Optimizer optimizer = after_rounds(9, test::short_config(method));
    test::expect_refused([&] { static_cast<void>(optimizer.predict(kPoints)); },
                         ErrorCode::conflict, "model");
  }
}

}  // namespace
}  // namespace oscbo
