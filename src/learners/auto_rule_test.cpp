#include <gtest/gtest.h>

#include "gp/posterior.hpp"
#include "learners/learners_test_support.hpp"
#include "learners/posterior_mode.hpp"

namespace oscbo::learners {
namespace {

using test::kSeed;

Config auto_settings(const std::function<void(AutoConfig&)>& change = [](AutoConfig&) {}) {
  Config config;
  config.learner.rule = "auto";
  find_rule("auto")->compose(config);
  change(config.automatic);
  return config;
}

/// Values of a smooth function with noise of the given sd.
test::Data noisy_data(Index n, double noise_sd) {
  test::Data data = test::smooth_data(n, 2, 1);
  numeric::RandomStream stream(2, numeric::Purpose::observation_noise);
  for (double& y : data.y) y += noise_sd * stream.normal();
  return data;
}

FittedModel fit(const Config& config, const test::Data& data, gp::KnownNoise known_noise = {}) {
  PosteriorMode mode(config, gp::Layout::plain(data.X.cols()));
  Vector previous;
  const gp::Inputs inputs = data.inputs();
  return mode.find({.inputs = inputs, .y = data.y, .known_noise = known_noise},
                   Vector::Ones(data.X.cols()), previous);
}

TEST(PosteriorMode, LearnsTheNoise) {
  const FittedModel clean = fit(auto_settings(), noisy_data(60, 0.0));
  EXPECT_LT(std::sqrt(clean.noise_variance) * clean.affine.scale, 1e-3);
  const FittedModel noisy = fit(auto_settings(), noisy_data(60, 0.3));
  EXPECT_NEAR(std::sqrt(noisy.noise_variance) * noisy.affine.scale, 0.3, 0.1);
}

TEST(PosteriorMode, IsTheSameModelWhateverTheUnits) {
  const test::Data data = noisy_data(30, 0.1);
  test::Data other = data;
  other.y = 1e6 + 250.0 * data.y.array();
  const FittedModel a = fit(auto_settings(), data);
  const FittedModel b = fit(auto_settings(), other);
  EXPECT_LT((a.theta - b.theta).cwiseQuotient(a.theta).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_NEAR(b.affine.location, 1e6 + 250.0 * a.affine.location, 1.0);
  EXPECT_NEAR(b.affine.scale, 250.0 * a.affine.scale, 1.0);
  EXPECT_NEAR(a.relative_scale, b.relative_scale, 1e-3);
}

TEST(PosteriorMode, SeesThatAFunctionIsASumOfFunctionsOfSingleParameters) {
  test::Data sum = test::smooth_data(40, 3, 1);
  test::Data product = sum;
  for (Index i = 0; i < 40; ++i) {
    const Vector x = sum.point(i);
    sum.y[i] = std::sin(9.0 * x[0]) + std::cos(7.0 * x[1]) + x[2];
    product.y[i] = std::sin(4.0 * x[0]) * std::cos(4.0 * x[1]) * (x[2] + 1.0);
  }
  EXPECT_GT(fit(auto_settings(), sum).theta[6], 3.0);
  EXPECT_LT(fit(auto_settings(), product).theta[6], 1.0);
}

TEST(PosteriorMode, ContinuesFromThePreviousFitWhenThatIsBetter) {
  const test::Data data = noisy_data(30, 0.1);
  const gp::Inputs inputs = data.inputs();
  PosteriorMode mode(auto_settings(), gp::Layout::plain(2));
  Vector previous;
  mode.find({.inputs = inputs, .y = data.y}, Vector::Ones(2), previous);
  const int first = mode.evaluations();
  const Vector kept = previous;
  mode.find({.inputs = inputs, .y = data.y}, Vector::Ones(2), previous);
  EXPECT_LT((previous - kept).cwiseAbs().maxCoeff(), 0.5);
  EXPECT_LT(mode.evaluations() - first, first + 20) << "the second search begins at its end";
}

// All values of a view may be equal although those of all observations are not.
TEST(PosteriorMode, TakesThePlateauOfAFunctionInTheUnitsOfAllObservations) {
  test::Data data = test::smooth_data(7, 2, 1);
  data.y.setConstant(0.1);  // seven times a tenth has a mean that is not quite a tenth
  const FittedModel model = fit(auto_settings(), data);
  EXPECT_NEAR(model.affine.location, 0.1, 1e-12);
  EXPECT_GT(model.affine.scale, 1e-2);
}

/// Values of a smooth function, every second one with noise of sd 1, and what is known of it.
struct UnequalNoise {
  explicit UnequalNoise(Index n) : clean(test::smooth_data(n, 2, 1)), noisy(clean) {
    numeric::RandomStream stream(2, numeric::Purpose::observation_noise);
    for (Index i = 0; i < n; ++i) {
      noise.push_back(i % 2 == 0 ? 0.0 : 1.0);
      noisy.y[i] += std::sqrt(noise.back()) * stream.normal();
    }
  }

  /// The error of what a model predicts where observations are noisy.
  [[nodiscard]] double error_of(const FittedModel& model, gp::KnownNoise known) const {
    gp::Posterior posterior(gp::make_kernel(auto_settings().kernel, gp::Layout::plain(2)),
                            model.noise_variance);
    const Vector z = (noisy.y.array() - model.affine.location) / model.affine.scale;
    EXPECT_TRUE(
        posterior.fit(noisy.inputs(), z, model.theta, gp::noise_in_units(known, model.affine.scale))
            .ok);
    const Vector means =
        model.affine.location + model.affine.scale * posterior.fitted_means().array();
    return (means - clean.y).norm() / std::sqrt(static_cast<double>(means.size()));
  }

  test::Data clean;
  test::Data noisy;
  std::vector<double> noise;
};

TEST(PosteriorMode, BelievesObservationsByTheNoiseThatIsKnownOfThem) {
  const UnequalNoise data(60);
  const FittedModel known = fit(auto_settings(), data.noisy, data.noise);
  const FittedModel unknown = fit(auto_settings(), data.noisy);
  EXPECT_LT(data.error_of(known, data.noise), 0.05);
  EXPECT_GT(data.error_of(unknown, {}), 0.2);
}

// Noise of the same variance everywhere is as good as learned, whatever the scale of the model.
TEST(PosteriorMode, TakesKnownNoiseInUnitsOfTheObservations) {
  for (const double unit : {1.0, 250.0}) {
    test::Data data = noisy_data(60, 0.3);
    data.y *= unit;
    const FittedModel learned = fit(auto_settings(), data);
    const double variance = learned.noise_variance * learned.affine.scale * learned.affine.scale;
    const FittedModel known = fit(auto_settings(), data, test::known_noise(60, variance));
    EXPECT_LT((known.theta.array() / learned.theta.array()).log().abs().segment(2, 2).maxCoeff(),
              0.3)
        << "the function is a sum of functions of single parameters";
    EXPECT_NEAR(known.affine.scale / learned.affine.scale, 1.0, 0.15);
  }
}

PredictionFeedback feedback(bool missed) { return {.calibration_loss = missed ? 0.5 : -0.5}; }

// log lambda moves by rate (missed - delta): nine hits undo a miss.
TEST(AutoRule, WidensItsPredictionsAfterMissesAndNarrowsThemAfterHits) {
  const test::Data data = test::smooth_data(12, 2, 1);
  RuleHandle rule = make_rule(auto_settings(), gp::Layout::plain(2), kSeed);
  EXPECT_EQ(test::next_settings(rule, data, 1).inflation, 1.0);
  rule->observe_prediction(feedback(true));
  EXPECT_NEAR(test::next_settings(rule, data, 1).inflation, std::exp(0.45), 1e-12);
  EXPECT_NEAR(*rule->multiplier(), std::exp(0.45), 1e-12);
  for (int i = 0; i < 9; ++i) rule->observe_prediction(feedback(false));
  EXPECT_NEAR(test::next_settings(rule, data, 1).inflation, 1.0, 1e-12);
}

TEST(AutoRule, BeginsWithTheMultiplierItIsGiven) {
  Config config = auto_settings();
  config.dual.start = MultiplierStart::number;
  config.dual.start_value = 4.0;
  RuleHandle rule = make_rule(config, gp::Layout::plain(2), kSeed);
  EXPECT_NEAR(test::next_settings(rule, test::smooth_data(12, 2, 1), 1).inflation, 4.0, 1e-12);
}

TEST(AutoRule, LooksNearTheBestPointEverySecondRound) {
  const test::Data data = test::smooth_data(60, 2, 1);
  RuleHandle rule = make_rule(auto_settings(), gp::Layout::plain(2), kSeed);
  EXPECT_TRUE(test::next_settings(rule, data, 1).points.empty());
  const ModelSettings near = test::next_settings(rule, data, 2);
  ASSERT_EQ(near.points.size(), 18U);  // 0.3 n
  Index best = 0;
  data.y.maxCoeff(&best);
  EXPECT_EQ(near.points.front(), best);
  for (const Index i : near.points) {
    for (Index k = 0; k < 2; ++k) {
      EXPECT_GE(data.X(i, k), near.lower[k]);
      EXPECT_LE(data.X(i, k), near.upper[k]);
    }
  }
  EXPECT_LT((near.upper - near.lower).maxCoeff(), 1.0);
  EXPECT_TRUE(test::next_settings(rule, data, 3).points.empty());
}

TEST(AutoRule, LooksNearTheBestPointOverAllKindsOfParameters) {
  const test::Data data = test::mixed_data(60);
  const gp::Layout layout = test::mixed_layout();
  RuleHandle rule = make_rule(auto_settings(), layout, kSeed);
  const Vector l = test::next_settings(rule, data, 1).theta.head(layout.parameters());
  const ModelSettings near = test::next_settings(rule, data, 2);
  ASSERT_EQ(near.points.size(), 18U);

  Index best = 0;
  data.y.maxCoeff(&best);
  const auto distance = [&](Index i) {
    const Vector d = data.X.row(i) - data.X.row(best);
    return std::hypot(d[0] / l[0], (d[1] == 0.0 ? 0.0 : 1.0) / l[1], d.tail(2).norm() / l[2]);
  };
  double previous = 0.0;
  for (const Index i : near.points) {
    EXPECT_GE(distance(i), previous - 1e-12);
    previous = distance(i);
  }
  for (Index i = 0; i < 60; ++i) {
    if (std::ranges::count(near.points, i) == 0) {
      EXPECT_GE(distance(i), previous - 1e-12);
    }
  }

  ASSERT_EQ(near.lower.size(), layout.parameters());
  ASSERT_EQ(near.upper.size(), layout.parameters());
  EXPECT_LT(near.upper[0] - near.lower[0], 1.0);
  for (const Index p : {1, 2}) {
    EXPECT_EQ(near.lower[p], 0.0);
    EXPECT_EQ(near.upper[p], 1.0);
  }
}

/// Two hills in a plane, the higher one at (0.2, 0.2).
test::Data two_hills(Index n) {
  test::Data data = test::smooth_data(n, 2, 1);
  const auto hill = [](const Vector& x, double centre) {
    return std::exp(-40.0 * (x.array() - centre).square().sum());
  };
  for (Index i = 0; i < n; ++i) {
    data.y[i] = hill(data.point(i), 0.2) + 0.8 * hill(data.point(i), 0.8);
  }
  return data;
}

constexpr double kHopeless = -50.0;  // log of an expected improvement

Config without_near_best_rounds() {
  return auto_settings([](AutoConfig& a) { a.near_best_every = 0; });
}

TEST(AutoRule, LocksAHillThatPromisesNothingAndLooksBeyondIt) {
  const test::Data data = two_hills(60);
  RuleHandle rule = make_rule(without_near_best_rounds(), gp::Layout::plain(2), kSeed);
  test::next_settings(rule, data, 1);
  rule->observe_suggestion(0.0);
  EXPECT_TRUE(test::next_settings(rule, data, 2).excluded.empty());
  rule->observe_suggestion(kHopeless);
  const ModelSettings beyond = test::next_settings(rule, data, 3);
  ASSERT_EQ(beyond.excluded.size(), 1U);
  EXPECT_FALSE(beyond.points.empty());
  EXPECT_LT(beyond.points.size(), 60U);
  Index best = 0;
  data.y.maxCoeff(&best);
  const gp::Inputs inputs = data.inputs();
  EXPECT_TRUE(beyond.excluded.front()->contains(inputs.point(best)));
  for (const Index i : beyond.points) {
    EXPECT_FALSE(beyond.excluded.front()->contains(inputs.point(i)));
  }
  EXPECT_EQ(test::next_settings(rule, data, 4).excluded.size(), 1U);
  rule->observe_suggestion(0.0);
  const ModelSettings back = test::next_settings(rule, data, 5);  // every fifth round
  EXPECT_TRUE(back.excluded.empty());
  EXPECT_EQ(back.points.front(), best);
  EXPECT_EQ(test::next_settings(rule, data, 6).excluded.size(), 1U) << "a hill is locked once";
}

// What the others of a batch promise is after points that have no value yet.
TEST(AutoRule, JudgesAHillByTheFirstSuggestionOfAFit) {
  const test::Data data = two_hills(60);
  RuleHandle rule = make_rule(without_near_best_rounds(), gp::Layout::plain(2), kSeed);
  test::next_settings(rule, data, 1);
  rule->observe_suggestion(0.0);
  rule->observe_suggestion(kHopeless);
  EXPECT_TRUE(test::next_settings(rule, data, 3).excluded.empty());
}

// Batches of two have a model in every second round only.
TEST(AutoRule, LooksAtEverythingAndNearTheBestPointByTurnsInBatchesToo) {
  const test::Data data = test::smooth_data(60, 2, 1);
  RuleHandle rule = make_rule(auto_settings(), gp::Layout::plain(2), kSeed);
  for (const int round : {2, 6, 10}) {
    EXPECT_TRUE(test::next_settings(rule, data, round).points.empty());
    EXPECT_FALSE(test::next_settings(rule, data, round + 2).points.empty());
  }
}

/// How many observations the models of these rounds are made of, with points pending; 0 for all.
std::vector<std::size_t> points_looked_at(const Config& config, int first, int last, int pending) {
  const test::Data data = test::smooth_data(60, 2, 1);
  RuleHandle rule = make_rule(config, gp::Layout::plain(2), kSeed);
  std::vector<std::size_t> counts;
  for (int round = first; round <= last; ++round) {
    counts.push_back(test::next_settings(rule, data, round, {}, pending).points.size());
  }
  return counts;
}

TEST(AutoRule, LooksTwiceAsFarEveryOtherTimeWhilePointsArePending) {
  using Counts = std::vector<std::size_t>;
  EXPECT_EQ(points_looked_at(auto_settings(), 1, 8, 0), (Counts{0, 18, 0, 18, 0, 18, 0, 18}));
  EXPECT_EQ(points_looked_at(auto_settings(), 1, 8, 3), (Counts{0, 36, 0, 18, 0, 36, 0, 18}));
}

TEST(AutoRule, RefinesWhenTheBudgetLeavesNoTimeForWhatPendingPointsBring) {
  using Counts = std::vector<std::size_t>;
  Config config = auto_settings();
  config.budget = 20;
  EXPECT_EQ(points_looked_at(config, 15, 22, 1), (Counts{0, 36, 18, 18, 18, 18, 0, 36}))
      << "the last 2 (1 + 1) rounds; what is asked past the budget has no last one";
  EXPECT_EQ(points_looked_at(config, 15, 22, 0), (Counts{0, 18, 0, 18, 0, 18, 0, 18}));
  config.automatic.near_best_every = 0;
  EXPECT_EQ(points_looked_at(config, 15, 22, 1), Counts(8, 0));
}

TEST(AutoRule, OpensAllHillsAgainWhenLittleIsLeft) {
  const test::Data data = two_hills(60);
  RuleHandle rule = make_rule(auto_settings(), gp::Layout::plain(2), kSeed);
  std::size_t most = 0;
  bool opened = false;
  for (int round = 1; round < 200 && !opened; ++round) {
    if (round % 5 == 0) test::next_settings(rule, data, round++);  // returns to the best hill
    const std::size_t hills = test::next_settings(rule, data, round).excluded.size();
    opened = hills < most;
    most = std::max(most, hills);
    rule->observe_suggestion(kHopeless);
  }
  EXPECT_GT(most, 0U);
  EXPECT_TRUE(opened);
}

TEST(AutoRule, NeverLocksWhereParametersAreNotNumeric) {
  const test::Data data = test::mixed_data(60);
  RuleHandle rule = make_rule(without_near_best_rounds(), test::mixed_layout(), kSeed);
  for (int round = 1; round < 6; ++round) {
    const ModelSettings settings = test::next_settings(rule, data, round);
    EXPECT_TRUE(settings.excluded.empty());
    EXPECT_TRUE(settings.points.empty());
    rule->observe_suggestion(kHopeless);
  }
}

TEST(AutoRule, NeverLocksWhenToldNotTo) {
  const test::Data data = two_hills(60);
  RuleHandle rule = make_rule(auto_settings([](AutoConfig& a) { a.locks_below = 0.0; }),
                              gp::Layout::plain(2), kSeed);
  for (int round = 1; round < 9; round += 2) {
    EXPECT_TRUE(test::next_settings(rule, data, round).excluded.empty());
    rule->observe_suggestion(kHopeless);
  }
}

TEST(AutoRule, LooksAtEverythingAndAsksForAMarginWhenThereIsNoise) {
  const test::Data data = noisy_data(60, 0.5);
  RuleHandle rule = make_rule(auto_settings(), gp::Layout::plain(2), kSeed);
  for (int round = 1; round < 7; ++round) {
    const ModelSettings settings = test::next_settings(rule, data, round);
    EXPECT_TRUE(settings.points.empty());
    EXPECT_TRUE(settings.excluded.empty());
    EXPECT_EQ(settings.margin, std::sqrt(*settings.noise_variance));
    rule->observe_suggestion(kHopeless);
  }
  const ModelSettings clean = test::first_settings(auto_settings(), noisy_data(60, 0.0), kSeed);
  EXPECT_EQ(clean.margin, 0.0);
}

TEST(AutoRule, AsksForAMarginWhenObservationsAreKnownToBeNoisy) {
  const test::Data data = noisy_data(60, 0.5);
  const std::vector<double> noise = test::known_noise(60, 0.25);
  RuleHandle rule = make_rule(auto_settings(), gp::Layout::plain(2), kSeed);
  const ModelSettings settings = test::next_settings(rule, data, 1, noise);
  EXPECT_NEAR(settings.margin, 0.5 / settings.affine.scale, 1e-12);
  EXPECT_TRUE(test::next_settings(rule, data, 2, noise).points.empty());
}

TEST(AutoRule, KeepsTheModelOfManyObservationsAndTheHillsOpen) {
  const test::Data data = two_hills(60);
  Config config = auto_settings();
  config.refit = {.growth = 0.5, .after = 30};
  RuleHandle rule = make_rule(config, gp::Layout::plain(2), kSeed);
  const auto settings_of = [&](Index n, int round) {
    const test::Data known{.X = data.X.topRows(n), .y = data.y.head(n)};
    return test::next_settings(rule, known, round);
  };
  const ModelSettings learned = settings_of(40, 1);
  EXPECT_EQ(learned.base, 0);
  rule->observe_suggestion(-100.0);  // nothing to be gained: few observations would lock the hill
  const ModelSettings near_best = settings_of(41, 2);
  EXPECT_FALSE(near_best.points.empty());
  EXPECT_EQ(near_best.base, 0);
  const ModelSettings kept = settings_of(42, 3);
  EXPECT_EQ(kept.theta, learned.theta);
  EXPECT_EQ(kept.noise_variance, learned.noise_variance);
  EXPECT_EQ(kept.base, 40);
  EXPECT_TRUE(kept.excluded.empty());
  settings_of(59, 4);
  EXPECT_EQ(settings_of(60, 5).base, 0) << "half as many again";
}

TEST(AutoRule, LearnsAnewWhenTheModelOfManyObservationsMisses) {
  const test::Data data = two_hills(60);
  Config config = auto_settings();
  config.refit = {.growth = 0.5, .after = 30};
  RuleHandle rule = make_rule(config, gp::Layout::plain(2), kSeed);
  const ModelSettings learned = test::next_settings(rule, data, 1);
  const auto miss = [&](const Vector& theta) {
    rule->observe_prediction(
        {.theta = {theta.begin(), theta.begin() + 2}, .calibration_loss = 1.0});
  };
  const ModelSettings near_best = test::next_settings(rule, data, 2);
  for (int i = 0; i < 5; ++i) miss(near_best.theta);
  EXPECT_EQ(test::next_settings(rule, data, 3).base, 60) << "another model has missed";
  for (int i = 0; i < 5; ++i) miss(learned.theta);
  test::next_settings(rule, data, 4);
  EXPECT_EQ(test::next_settings(rule, data, 5).base, 0);
}

TEST(AutoRule, GivesAModelOfEverythingInAnyRound) {
  const test::Data data = test::smooth_data(60, 2, 1);
  const gp::Inputs inputs = data.inputs();
  RuleHandle rule = make_rule(auto_settings(), gp::Layout::plain(2), kSeed);
  test::next_settings(rule, data, 1);
  ASSERT_FALSE(test::next_settings(rule, data, 2).points.empty());
  const ModelSettings whole =
      rule->whole_settings({.inputs = inputs, .y = data.y, .initial_points = 60}, 2);
  EXPECT_TRUE(whole.points.empty());
  EXPECT_EQ(whole.lower.size(), 0);
}

}  // namespace
}  // namespace oscbo::learners
