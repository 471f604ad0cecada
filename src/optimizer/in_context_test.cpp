// Runs of pfn and tabicl. What holds for every method is tested beside the other methods.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "in_context/in_context_options.hpp"
#include "optimizer/optimizer_test_support.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo {
namespace {

using test::hill;
using test::kSquare;
using test::short_config;
using enum ParameterKind;

double best_of(const Optimizer& optimizer) { return *optimizer.recommendation().trial.y(); }

TEST(Pfn, OptimisesBetterThanChance) {
  Optimizer pfn = test::after_rounds(25, short_config("pfn"), 1);
  Optimizer sobol = test::after_rounds(25, short_config("sobol"), 1);
  EXPECT_GT(best_of(pfn), best_of(sobol));
  // The top of the hill is at cos(x / 2)' = -0.1, in both coordinates.
  const double top = 2.0 * std::asin(0.2);
  EXPECT_GT(best_of(pfn), hill(std::vector{top + 4.0 * M_PI, top}) - 0.05);
}

TEST(Pfn, SaysHowItsModelWasMade) {
  Optimizer optimizer = test::after_rounds(4, short_config("pfn"));
  const Suggestion first = optimizer.ask();
  ASSERT_EQ(first.notes.size(), 1U);
  EXPECT_EQ(first.notes.front(), "an in-context model that sees 4 of 4 observations");
  EXPECT_TRUE(first.prediction->lengthscales.empty());
  EXPECT_EQ(first.prediction->multiplier, 1.0);
  EXPECT_EQ(first.prediction->objective_evaluations, 0);
  optimizer.tell(first.trial, 0.0);
  EXPECT_EQ(optimizer.ask().notes.front(), "a model of the surroundings of the best point");
}

TEST(Pfn, IsNotMovedByPredictions) {
  Optimizer quiet = test::after_rounds(6, short_config("pfn"));
  Optimizer asked = test::after_rounds(6, short_config("pfn"));
  for (int i = 0; i < 6; ++i) {
    for (const double u : {0.5, 3.0}) test::prediction_at(asked, {u, u});
    const Suggestion next = quiet.ask();
    test::expect_same(asked.ask(), next);
    for (const double u : {0.5, 3.0}) test::prediction_at(asked, {u, u});
    quiet.tell(next.trial, hill(next.x));
    asked.tell(next.trial, hill(next.x));
  }
}

TEST(Pfn, RecommendsTheBestMeanAmongMoreObservationsThanItSees) {
  Config config = short_config("pfn");
  config.edit<in_context::PfnOptions>().context = 20;
  Optimizer optimizer({{0.0, 1.0}}, config);
  // A plateau of good values, bad ones elsewhere, and one lucky outlier among these.
  for (int i = 0; i < 20; ++i) optimizer.tell(std::vector{0.80 + 0.002 * i}, 1.0 + 0.001 * i);
  for (int i = 0; i < 40; ++i) optimizer.tell(std::vector{0.01 * i}, -1.0);
  optimizer.tell(std::vector{0.205}, 1.05);
  EXPECT_EQ(optimizer.recommendation().trial.x.front(), 0.205);
  const Recommendation by_mean = optimizer.recommendation_by_mean();
  EXPECT_EQ(by_mean.by, RecommendedBy::mean);
  EXPECT_GT(by_mean.trial.x.front(), 0.75);
}

TEST(Pfn, PredictsWithAllObservationsAlsoNearTheBestPoint) {
  Optimizer optimizer = test::after_rounds(30, short_config("pfn"), 2);
  ASSERT_EQ(optimizer.rounds() % 2, 0);
  optimizer.tell(optimizer.ask().trial, 0.0);  // the next round looks near the best point
  const Prediction far_away = test::prediction_at(optimizer, {-4.5, 14.5});
  EXPECT_NEAR(far_away.mean, hill(std::vector{-4.5, 14.5}), 1.0);
  EXPECT_EQ(optimizer.ask().notes.front(), "a model of the surroundings of the best point");
}

TEST(Pfn, ModelsOutcomesOnTheWholeSpace) {
  const Space space(
      {.parameters = {{.name = "x"}, {.name = "y"}}, .outcomes = {{.name = "heat", .upper = 0.5}}});
  Optimizer optimizer(space, short_config("pfn"), 3);
  const auto heat = [](const std::vector<double>& x) { return x[0] + 0.3 * x[1]; };
  for (int i = 0; i < 20; ++i) {
    const Suggestion next = optimizer.ask();
    optimizer.tell(next.trial, Measurement{.y = next.x[0] * next.x[1], .outcomes = {heat(next.x)}});
  }
  EXPECT_TRUE(optimizer.recommendation().is_acceptable);
  // x y is largest within the limit at x = 0.2, y = 1.
  EXPECT_GT(best_of(optimizer), 0.17);
  // Round by round, the outcome is predicted from all observations.
  for (int round = 0; round < 2; ++round) {
    const Suggestion next = optimizer.ask();
    EXPECT_NEAR(next.outcomes.front().mean, heat(next.x), 0.1);
    optimizer.tell(next.trial, Measurement{.y = next.x[0] * next.x[1], .outcomes = {heat(next.x)}});
  }
}

TEST(Pfn, TakesToldVariancesForItsIntervalsOnly) {
  const auto predicted_with = [](std::optional<double> variance) {
    Optimizer optimizer(kSquare, short_config("pfn"));
    for (int i = 0; i < 8; ++i) {
      const std::vector<double> x = {i - 4.0, 1.5 * i};
      optimizer.tell(x, Measurement{.y = hill(x), .variance = variance});
    }
    return test::prediction_at(optimizer, {0.0, 5.0});
  };
  const Prediction without = predicted_with(std::nullopt);
  const Prediction precise = predicted_with(1e-6);
  const Prediction noisy = predicted_with(4.0);
  EXPECT_EQ(without.mean, noisy.mean);
  EXPECT_EQ(without.sd, noisy.sd);
  EXPECT_NEAR(noisy.observation_sd, std::sqrt(noisy.sd * noisy.sd + 4.0), 1e-9);
  EXPECT_LT(precise.width, without.width);
}

class PfnAcquisition : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Every, PfnAcquisition,
                         testing::Values("logei", "ei", "pi", "ucb", "thompson"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(PfnAcquisition, FindsTheHillAndIsRepeatedByAReplay) {
  Config config = short_config("pfn");
  set_option(config, "acquisition", GetParam());
  Optimizer optimizer = test::after_rounds(20, config, 4);
  EXPECT_GT(best_of(optimizer), 2.0) << "the median of the box is 0.6";
  Optimizer again = Optimizer::replay(optimizer.space(), config, 4, optimizer.log());
  test::expect_same(again.ask(), optimizer.ask());
}

TEST_P(PfnAcquisition, GivesBatchesOfDistinctPoints) {
  Config config = short_config("pfn");
  set_option(config, "acquisition", GetParam());
  Optimizer optimizer = test::after_rounds(7, config, 4);
  std::set<std::vector<double>> points;
  for (const Suggestion& next : optimizer.ask(5)) points.insert(next.x);
  EXPECT_EQ(points.size(), 5U);
}

TEST(Pfn, TakesSpacesOfEveryKind) {
  const Space space({.parameters = {{.name = "recipe", .kind = categorical, .values = {"a", "b"}},
                                    {.name = "flow", .when = Condition{"recipe", {"a"}}},
                                    {.name = "n", .kind = integer, .lower = 1.0, .upper = 9.0},
                                    {.name = "t", .lower = 0.0, .upper = 10.0}},
                     .constraints = {parse_constraint("t <= 2 n")},
                     .outcomes = {{.name = "cost", .upper = 12.0}}});
  const auto value = [](const std::vector<double>& x) {
    return (x[0] == 0.0 ? x[1] : 0.6) - 0.02 * std::pow(x[2] - 5.0, 2) + 0.1 * x[3];
  };
  Optimizer optimizer(space, short_config("pfn"), 4);
  for (int i = 0; i < 24; ++i) {
    const Suggestion next =
        i % 5 == 4 ? optimizer.ask(std::vector{Given{"n", 3.0}}) : optimizer.ask();
    EXPECT_NO_THROW(optimizer.space().check(next.x));
    if (i % 5 == 4) {
      EXPECT_EQ(next.x[2], 3.0);
    }
    if (next.x[3] > 9.0) {
      optimizer.tell_failed(next.trial);
    } else {
      optimizer.tell(next.trial,
                     Measurement{.y = value(next.x), .outcomes = {next.x[2] + next.x[3]}});
    }
    if (!next.prediction) continue;
    EXPECT_TRUE(std::isfinite(next.prediction->mean));
    EXPECT_TRUE(std::isfinite(next.prediction->acquisition));
    EXPECT_TRUE(std::isfinite(next.outcomes.front().mean));
  }
  EXPECT_TRUE(optimizer.recommendation().is_acceptable);
  EXPECT_GT(best_of(optimizer), 1.2) << "1.68 is the most: recipe a, flow 1, n 4, t 8";
}

TEST(Tabicl, SearchesAsThePaperDoes) {
  const Config config = method_config("tabicl");
  const auto& search = config.get<acquisition::AcquisitionOptions>();
  EXPECT_EQ(search.kind, acquisition::AcquisitionOptions::Kind::ucb);
  EXPECT_EQ(config.beta, 2.0);
  EXPECT_EQ(search.solver, acquisition::AcquisitionOptions::Solver::adam);
  EXPECT_EQ(search.adam_rate, 0.05);
  EXPECT_EQ(search.max_iterations, 50);
  EXPECT_EQ(search.restarts, 5);
  EXPECT_EQ(search.raw_samples, 20);
  EXPECT_EQ(search.local_samples, 0);
  EXPECT_EQ(config.get<in_context::TabiclOptions>().members, 1);
}

TEST(Tabicl, IsRefusedWithoutWeights) {
  test::expect_refused([] { Optimizer(kSquare, method_config("tabicl")); },
                       ErrorCode::invalid_value, "tabicl.weights");
}

TEST(Tabicl, CountsTheMemoryOfItsContext) {
  Config config = short_config("tabicl");
  config.memory = 1e-3;
  config.threads = 1;
  Optimizer optimizer({{0.0, 1.0}}, config);
  // An observation takes 2 D = 32 floats in each of 2 blocks, 5 D = 80 while a block is computed,
  // and 72 shares of attention for each of 4 heads: 432 floats. With a quarter more and 16 doubles
  // for the search, these are 286 doubles, of which 469 fit into a thousandth of a GiB.
  for (int i = 0; i < 470; ++i) optimizer.tell(std::vector{i / 3000.0}, 0.0);
  try {
    optimizer.ask();
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.field(), "memory");
    EXPECT_TRUE(std::string(error.what()).ends_with("enough for 469")) << error.what();
  }
}

}  // namespace
}  // namespace oscbo
