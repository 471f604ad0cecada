#include "oscbo/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include "learners/learner_options.hpp"
#include "numeric/random_stream.hpp"
#include "online/game_options.hpp"
#include "online/width_options.hpp"
#include "optimizer/confidence_width.hpp"
#include "optimizer/data_options.hpp"
#include "optimizer/initial_design.hpp"
#include "optimizer/optimizer_test_support.hpp"

namespace oscbo {
namespace {

using test::after_rounds;
using test::hill;
using test::kSquare;
using test::short_config;

// --- ask -----------------------------------------------------------------------------------------

TEST(Ask, GivesTheInitialDesignAndThenTheModelsChoice) {
  Optimizer optimizer(kSquare, short_config(), 5);
  for (std::size_t i = 0; i < 4; ++i) {
    const Suggestion next = optimizer.ask();
    const space::Uniforms unit = initial_point(DataOptions::Design::sobol, 2, 4, i, 5);
    EXPECT_EQ(next.trial, i);
    EXPECT_FALSE(next.prediction);
    EXPECT_DOUBLE_EQ(next.x[0], -5.0 + 15.0 * unit[0]);
    EXPECT_DOUBLE_EQ(next.x[1], 15.0 * unit[1]);
    optimizer.tell(next.trial, hill(next.x));
  }
  EXPECT_EQ(optimizer.rounds(), 0);
  const Suggestion next = optimizer.ask();
  EXPECT_TRUE(next.prediction);
  EXPECT_EQ(optimizer.rounds(), 1);
}

TEST(Ask, CountsToldPointsTowardsTheInitialDesign) {
  Optimizer optimizer(kSquare, short_config());
  for (const double u : {1.0, 2.0, 3.0}) optimizer.tell(std::vector{u, u}, u);
  EXPECT_FALSE(optimizer.ask().prediction);
  EXPECT_TRUE(optimizer.ask().prediction);
}

TEST(Ask, GivesTheSameForAnyNumberOfThreads) {
  const auto suggestion = [](const char* method, int threads) {
    Config config = method_config(method);
    config.threads = threads;
    config.edit<learners::LearnerOptions>().adam_steps = 2;
    Optimizer optimizer(kSquare, config);
    numeric::RandomStream stream(1, numeric::Purpose::initial_design);
    for (int i = 0; i < 260; ++i) {
      const std::vector<double> x{-5.0 + 15.0 * stream.uniform(), 15.0 * stream.uniform()};
      optimizer.tell(x, hill(x));
    }
    return optimizer.ask().x;
  };
  for (const char* method : {"auto", "oscbo"}) {
    EXPECT_EQ(suggestion(method, 3), suggestion(method, 1)) << method;
  }
}

TEST(Ask, StaysWithTheDesignWhileNothingIsKnown) {
  Optimizer optimizer(kSquare, short_config());
  std::set<std::vector<double>> points;
  for (int i = 0; i < 9; ++i) {
    const Suggestion next = optimizer.ask();
    EXPECT_FALSE(next.prediction);
    points.insert(next.x);
  }
  EXPECT_EQ(points.size(), 9U);
  optimizer.tell(3, 1.0);
  EXPECT_TRUE(optimizer.ask().prediction);
}

class Pending : public testing::TestWithParam<test::Composition> {
 protected:
  static const Config& config() { return GetParam().config; }
};
INSTANTIATE_TEST_SUITE_P(EveryComposition, Pending, testing::ValuesIn(test::compositions()),
                         test::test_name);

TEST_P(Pending, PointsAreDistinctAndToldInAnyOrder) {
  Optimizer optimizer = after_rounds(6, config());
  std::vector<Suggestion> pending(6);
  std::set<std::vector<double>> points;
  for (Suggestion& next : pending) {
    next = optimizer.ask();
    EXPECT_NO_THROW(optimizer.space().check(next.x));
    points.insert(next.x);
    EXPECT_EQ(next.prediction.has_value(), has_model(config()));
    if (!next.prediction) continue;
    EXPECT_GT(next.prediction->sd, 0.0);
  }
  EXPECT_EQ(points.size(), pending.size());
  for (const std::size_t i : {4U, 0U, 5U, 2U, 1U, 3U}) {
    optimizer.tell(pending[i].trial, hill(pending[i].x));
    const Trial& trial = optimizer.trials()[pending[i].trial];
    EXPECT_EQ(trial.feedback().has_value(), has_model(config()));
    EXPECT_NO_THROW(optimizer.space().check(optimizer.ask().x));
  }
}

// A pending point acts as if its mean had been observed. In a Gaussian process, the mean stays and
// the spread shrinks, most of all at the point itself.
TEST_P(Pending, PointsAreConditionedOn) {
  if (!has_model(config())) return;
  Optimizer optimizer = after_rounds(8, config());
  const Suggestion pending = optimizer.ask();
  const Prediction before = test::prediction_at(optimizer, pending.x);
  optimizer.ask();
  const Prediction after = test::prediction_at(optimizer, pending.x);
  EXPECT_EQ(before.sd, pending.prediction->sd);
  EXPECT_NE(after.sd, before.sd);
  if (!model::model_of(config()).traits.is_gaussian_process) return;
  EXPECT_LT(after.sd, before.sd);
  EXPECT_NEAR(after.mean, before.mean, 1e-9 * std::max(1.0, std::abs(before.mean)));
}

TEST(Ask, LearnsNothingBetweenTwoAsksWithoutATell) {
  Optimizer optimizer = after_rounds(8);
  const Suggestion first = optimizer.ask();
  const Suggestion second = optimizer.ask();
  EXPECT_GT(first.prediction->objective_evaluations, 0);
  EXPECT_EQ(second.prediction->objective_evaluations, 0) << "no factorization was spent on it";
  EXPECT_EQ(first.prediction->lengthscales, second.prediction->lengthscales);
  EXPECT_EQ(first.prediction->multiplier, second.prediction->multiplier);
}

TEST(Ask, IsFitAndSuggest) {
  Optimizer together = after_rounds(6);
  Optimizer apart = together;
  apart.fit();
  apart.fit();
  test::expect_same(apart.suggest(), together.ask());
}

TEST(Ask, WorksPastTheBudget) {
  Config config = short_config();
  config.budget = 3;
  EXPECT_EQ(after_rounds(12, config).rounds(), 8);
}

TEST(Ask, FindsTheTopOfABowlTurnedOver) {
  for (const std::string& method : test::methods_with_model()) {
    if (method == "tabicl") continue;  // its weights are random here
    Optimizer optimizer(kSquare, short_config(method));
    test::run(optimizer, 25, [](const std::vector<double>& x) {
      return -(x[0] - 3.0) * (x[0] - 3.0) - (x[1] - 7.0) * (x[1] - 7.0);
    });
    // The likelihood and the game settle on the top. The other methods explore longer or stop
    // early.
    const bool settles = method == "gp-ucb-mll" || method.starts_with("oscbo");
    EXPECT_GT(*optimizer.recommendation().trial.y(), settles ? -0.1 : -1.0)
        << method << ", of values down to -128";
  }
}

// --- tell ----------------------------------------------------------------------------------------

TEST(Tell, RecordsWhatHappenedInTheLogAndTheTrials) {
  Optimizer optimizer(kSquare, short_config());
  const Suggestion first = optimizer.ask();
  const Suggestion second = optimizer.ask();
  EXPECT_EQ(optimizer.tell(std::vector{1.0, 2.0}, 7.0), 2U);
  optimizer.tell(second.trial, 3.0);

  const std::vector<Event>& log = optimizer.log();
  ASSERT_EQ(log.size(), 4U);
  EXPECT_EQ(log[0].kind, Event::Kind::ask);
  EXPECT_EQ(log[0].x, first.x);
  EXPECT_EQ(log[2].kind, Event::Kind::tell_extra);
  EXPECT_EQ(log[2].x, (std::vector{1.0, 2.0}));
  EXPECT_EQ(log[3].kind, Event::Kind::tell);
  EXPECT_EQ(log[3].trial, second.trial);
  EXPECT_EQ(log[3].y, 3.0);
  EXPECT_FALSE(optimizer.trials()[0].y());
  EXPECT_EQ(optimizer.trials()[1].y(), 3.0);
  EXPECT_EQ(optimizer.trials()[2].y(), 7.0);
}

TEST(Tell, LeavesThePredictionAsItWasBeforeTheValueWasKnown) {
  Optimizer optimizer = after_rounds(8);
  const Suggestion next = optimizer.ask();
  test::expect_same(optimizer.trials()[next.trial].prediction(), next.prediction);
  optimizer.tell(next.trial, 1e6);
  test::expect_same(optimizer.trials()[next.trial].prediction(), next.prediction);
}

TEST(Tell, OfAnUnaskedPointGivesNoFeedbackAndMovesTheModel) {
  Optimizer optimizer = after_rounds(8);
  Optimizer informed = optimizer;
  const TrialId extra = informed.tell(std::vector{0.0, 0.0}, 2.0);
  EXPECT_FALSE(informed.trials()[extra].prediction());
  EXPECT_FALSE(informed.trials()[extra].feedback());
  const Suggestion without = optimizer.ask();
  const Suggestion with = informed.ask();
  EXPECT_NE(without.x, with.x);
  EXPECT_EQ(without.prediction->multiplier, with.prediction->multiplier);
}

// --- feedback ------------------------------------------------------------------------------------

class FeedbackOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(EveryMethod, FeedbackOf,
                         testing::ValuesIn(test::methods_with_known_noise()));

// The test recomputes everything in the units of the observations. Let u be the length of one
// standardised unit there. Then sd^2 = var u^2 and (width / 2)^2 / beta = (var + s2) u^2.
TEST_P(FeedbackOf, FollowsFromPredictionAndValue) {
  Config config = short_config(GetParam());
  config.beta = 1.3;
  config.noise_variance = 0.02;
  const Optimizer optimizer = after_rounds(20, config);
  ConfidenceWidth width(config, 2);
  const double p = config.get<online::PrimalOptions>().exponent;
  double violation = 0.0;
  int covered = 0;
  for (const Trial& trial : optimizer.trials()) {
    EXPECT_EQ(trial.feedback().has_value(), trial.prediction().has_value());
    if (!trial.feedback()) continue;
    const double variance = trial.prediction()->sd * trial.prediction()->sd;
    const double half_width = 0.5 * trial.prediction()->width;
    const double residual = std::abs(*trial.y() - trial.prediction()->mean);
    EXPECT_EQ(trial.prediction()->beta, width.beta(static_cast<numeric::Index>(trial.id)));
    const double noise = half_width * half_width / trial.prediction()->beta - variance;  // s2 u^2
    const double sharpness = std::log1p(variance / noise) / std::log1p(1.0 / 0.02);
    const double calibration = std::pow(residual / half_width, p) - 1.0;
    violation += calibration;
    EXPECT_NEAR(trial.feedback()->sharpness_loss, sharpness, 1e-10);
    EXPECT_GE(trial.feedback()->sharpness_loss, 0.0);
    EXPECT_LE(trial.feedback()->sharpness_loss, 1.0);
    EXPECT_NEAR(trial.feedback()->calibration_loss, calibration, 1e-10 * (2.0 + calibration));
    EXPECT_NEAR(trial.feedback()->violation, violation, 1e-9 * (1.0 + std::abs(violation)));
    EXPECT_EQ(trial.feedback()->covered, residual <= half_width);
    covered += trial.feedback()->covered ? 1 : 0;
  }
  EXPECT_GT(covered, 0);
}

/// A prediction in the units of the model, and the largest value that the model had seen.
struct ModelView {
  double mean = 0.0;
  double sd = 0.0;
  double best = 0.0;
};

/// Runs fifteen rounds and calls `check(prediction, view, unit)` for every prediction.
template <class Check>
void for_predictions(const Config& config, const Check& check) {
  Optimizer optimizer(kSquare, config);
  std::vector<double> y;
  int checked = 0;
  for (int i = 0; i < 15; ++i) {
    const Suggestion next = optimizer.ask();
    if (next.prediction) {
      const auto [mean, unit] = test::units_of(config, y);
      check(*next.prediction,
            ModelView{.mean = (next.prediction->mean - mean) / unit,
                      .sd = next.prediction->sd / unit,
                      .best = (*std::max_element(y.begin(), y.end()) - mean) / unit},
            unit);
      ++checked;
    }
    y.push_back(hill(next.x));
    optimizer.tell(next.trial, y.back());
  }
  EXPECT_EQ(checked, 11);
}

TEST_P(FeedbackOf, HasItsWidthInTheStatedUnits) {
  const Config config = short_config(GetParam());
  for_predictions(config, [&](const Prediction& p, const ModelView& view, double unit) {
    const double sd = std::sqrt(view.sd * view.sd + config.noise_variance);
    EXPECT_NEAR(p.width / unit, 2.0 * std::sqrt(p.beta) * sd, 1e-12 * p.beta);
    EXPECT_NEAR(p.observation_sd / unit, sd, 1e-12);
  });
}

TEST(Acquisition, IsTheConfidenceBoundInStandardisedUnits) {
  for (const std::string method : {"oscbo", "oscbo-l1", "gp-ucb-mll", "vanilla-bo", "a-gp-ucb",
                                   "lb-gp-ucb", "gp-ucb", "oscbo with thompson"}) {
    const Config config = method == "oscbo with thompson"
                              ? test::composed("oscbo", {"acquisition=thompson"}).config
                              : short_config(method);
    for_predictions(config, [&](const Prediction& p, const ModelView& view, double /*unit*/) {
      EXPECT_EQ(p.beta == 2.0,
                config.get<online::WidthOptions>().kind == online::WidthOptions::Kind::constant);
      EXPECT_NEAR(p.acquisition, view.mean + std::sqrt(p.beta) * view.sd, 1e-10) << method;
    });
  }
}

// SCGP's spread is latent here, because its noise belongs only to the confidence bound.
TEST(Acquisition, IsTheImprovementOverTheBestObservation) {
  const boost::math::normal standard;
  for (const char* method : {"oscbo", "scgp"}) {
    const auto config = [&](const char* kind) { return test::composed(method, {kind}).config; };
    const auto u_of = [](const ModelView& view) { return (view.mean - view.best) / view.sd; };
    const auto improvement = [&](const ModelView& view) {
      const double u = u_of(view);
      return view.sd * (pdf(standard, u) + u * cdf(standard, u));
    };
    for_predictions(config("acquisition=ei"),
                    [&](const Prediction& p, const ModelView& view, double) {
                      EXPECT_NEAR(p.acquisition, improvement(view), 1e-9);
                    });
    for_predictions(config("acquisition=logei"),
                    [&](const Prediction& p, const ModelView& view, double) {
                      EXPECT_NEAR(std::exp(p.acquisition), improvement(view), 1e-9);
                    });
    for_predictions(config("acquisition=pi"),
                    [&](const Prediction& p, const ModelView& view, double) {
                      EXPECT_NEAR(p.acquisition, cdf(standard, u_of(view)), 1e-9);
                    });
  }
}

/// values_up_to returns the values told up to trial `last`, for a run that tells every ask
/// immediately.
std::vector<double> values_up_to(const Optimizer& optimizer, TrialId last) {
  std::vector<double> y;
  for (TrialId i = 0; i <= last; ++i) y.push_back(*optimizer.trials()[i].y());
  return y;
}

TEST_P(FeedbackOf, CanUseTheStatisticsThatIncludeTheValueItself) {
  Config config = short_config(GetParam());
  config.edit<DataOptions>().loss_statistics = DataOptions::LossStatistics::after;
  const Optimizer optimizer = after_rounds(15, config);
  for (const Trial& trial : optimizer.trials()) {
    if (!trial.feedback()) continue;
    const double unit = test::units_of(config, values_up_to(optimizer, trial.id)).sd;
    const double sd = trial.prediction()->sd / unit;
    const double residual = std::abs(*trial.y() - trial.prediction()->mean) / unit;
    const double calibration =
        std::pow(residual / std::sqrt(trial.prediction()->beta * (sd * sd + config.noise_variance)),
                 config.get<online::PrimalOptions>().exponent) -
        1.0;
    EXPECT_NEAR(trial.feedback()->calibration_loss, calibration, 1e-9 * (2.0 + calibration));
    EXPECT_NEAR(
        trial.feedback()->sharpness_loss,
        std::log1p(sd * sd / config.noise_variance) / std::log1p(1.0 / config.noise_variance),
        1e-10);
  }
}

TEST(Feedback, CoverageIsThatOfTheShownIntervalWhateverTheLossesUse) {
  Config config = short_config();
  config.edit<DataOptions>().loss_statistics = DataOptions::LossStatistics::after;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Optimizer optimizer = after_rounds(4, config, seed);
    for (const double widths : {0.499, 0.501}) {
      const Suggestion next = optimizer.ask();
      optimizer.tell(next.trial, next.prediction->mean + widths * next.prediction->width);
      EXPECT_EQ(optimizer.trials()[next.trial].feedback()->covered, widths < 0.5);
    }
  }
}

TEST(Feedback, MovesTheMultiplierByTheCalibrationLoss) {
  Config config = short_config();
  config.edit<online::DualOptions>().rate = 0.05;
  const Optimizer optimizer = after_rounds(20, config);
  double expected = 2.0 / std::log1p(100.0);
  for (const Trial& trial : optimizer.trials()) {
    if (!trial.prediction()) continue;
    EXPECT_NEAR(*trial.prediction()->multiplier, expected, 1e-12);
    EXPECT_EQ(trial.prediction()->phase, Phase::play);
    expected = std::min(expected * std::exp(0.05 * trial.feedback()->calibration_loss),
                        std::pow(150.0, 0.25));
  }
}

TEST(Feedback, LeadsToRecoveryWhenViolationCannotBeRepaid) {
  Config config = short_config();
  config.budget = 16;
  config.edit<online::RecoveryOptions>().primal_regret = 0.0;
  config.edit<online::RecoveryOptions>().dual_regret = 0.0;
  Optimizer optimizer(kSquare, config);
  for (int i = 0; i < 20; ++i) {
    const Suggestion next = optimizer.ask();
    // The values of rounds 3 and 4 are far outside their predictions.
    const bool outlier = next.prediction && (optimizer.rounds() == 3 || optimizer.rounds() == 4);
    optimizer.tell(next.trial,
                   outlier ? next.prediction->mean + 20.0 * next.prediction->width : hill(next.x));
    if (next.prediction) {
      EXPECT_EQ(next.prediction->phase, optimizer.rounds() <= 3 ? Phase::play : Phase::recovery)
          << "round " << optimizer.rounds();
    }
  }
}

// --- recommendation ------------------------------------------------------------------------------

TEST(Recommendation, SaysWhyThereIsNone) {
  Optimizer optimizer(kSquare, short_config());
  const auto reason = [&]() -> std::string {
    try {
      static_cast<void>(optimizer.recommendation());
    } catch (const Error& error) {
      return error.message();
    }
    return "there is one";
  };
  EXPECT_EQ(reason(), "nothing has been told yet");
  optimizer.tell_failed(optimizer.ask().trial);
  EXPECT_EQ(reason(), "every evaluation so far has failed");
}

TEST(Recommendation, IsTheBestObservation) {
  Optimizer optimizer(kSquare, short_config());
  test::expect_refused([&] { static_cast<void>(optimizer.recommendation()); }, ErrorCode::conflict,
                       "recommendation");
  const Suggestion first = optimizer.ask();
  optimizer.ask();
  optimizer.tell(std::vector{0.0, 1.0}, -3.0);
  optimizer.tell(first.trial, -1.0);
  EXPECT_EQ(optimizer.recommendation().trial.id, first.trial);
}

TEST(Recommendation, OfNoisyObservationsIsTheBestPosteriorMean) {
  Config config = short_config();
  config.noise_variance = 1.0;
  Optimizer optimizer({{0.0, 1.0}}, config);
  // A plateau of good values, and one lucky outlier among bad neighbours.
  for (const double x : {0.80, 0.81, 0.82, 0.83, 0.84}) optimizer.tell(std::vector{x}, 1.0);
  for (const double x : {0.18, 0.19, 0.21, 0.22}) optimizer.tell(std::vector{x}, -1.0);
  optimizer.tell(std::vector{0.2}, 1.2);
  const std::size_t events = optimizer.log().size();
  EXPECT_EQ(optimizer.recommendation().trial.x.front(), 0.2);
  EXPECT_GT(optimizer.recommendation_by_mean().trial.x.front(), 0.7);
  EXPECT_EQ(optimizer.log().size(), events);
}

// --- values --------------------------------------------------------------------------------------

TEST(Optimizer, SameSeedTwiceIsTheSameRun) {
  for (const MethodInfo& method : methods()) {
    const Config config = short_config(method.name);
    test::expect_same(after_rounds(12, config, 3).trials(), after_rounds(12, config, 3).trials());
  }
}

TEST(Optimizer, DifferentSeedsAreDifferentRuns) {
  // Seeds differ even if both see the same data: perturbation and search have their own streams.
  const auto next_after_told = [](std::uint64_t seed) {
    Optimizer optimizer(kSquare, short_config(), seed);
    for (const double u : {0.5, 3.0, 7.0, 9.0})
      optimizer.tell(std::vector{u, u}, hill(std::vector{u, u}));
    return optimizer.ask();
  };
  EXPECT_NE(after_rounds(1, short_config(), 0).trials()[0].x,
            after_rounds(1, short_config(), 1).trials()[0].x);
  EXPECT_NE(next_after_told(0).prediction->lengthscales,
            next_after_told(1).prediction->lengthscales);
}

TEST(Optimizer, RememberWhatItWasMadeOf) {
  Config config = short_config("oscbo-l1");
  const Optimizer optimizer(kSquare, config, 2);
  EXPECT_EQ(optimizer.config().method, "oscbo-l1");
  ASSERT_EQ(optimizer.space().dimension(), 2U);
  EXPECT_EQ(optimizer.space().declaration().parameters[0].lower, -5.0);
  EXPECT_TRUE(optimizer.trials().empty());
  EXPECT_TRUE(optimizer.log().empty());
}

TEST(Optimizer, ResultDoesNotDependOnTheUnitsOfTheObservations) {
  const auto run_in = [](double unit) {
    Optimizer optimizer(kSquare, short_config());
    test::run(optimizer, 10, [&](const std::vector<double>& x) { return unit * hill(x); });
    return optimizer.ask().x;
  };
  EXPECT_EQ(run_in(0x1p-900), run_in(1.0));
  EXPECT_EQ(run_in(0x1p900), run_in(1.0));
}

}  // namespace
}  // namespace oscbo
