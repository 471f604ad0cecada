#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "learners/learner_options.hpp"
#include "learners/learners_test_support.hpp"
#include "learners/registry.hpp"
#include "learners/solver.hpp"
#include "online/ftpl.hpp"
#include "online/game_options.hpp"
#include "online/play_recovery.hpp"

namespace oscbo::learners {
namespace {

using gp::KernelShape;
using numeric::Purpose;
using numeric::RandomStream;
using test::Data;
using test::one;

constexpr std::uint64_t kGameSeed = 9;

/// The paper's method without perturbation, solved exactly. The leader is then a function of the
/// data that the test can recompute.
Config exact_game() {
  Config config;
  config.edit<LearnerOptions>().solver = LearnerOptions::Solver::exact;
  config.edit<online::PrimalOptions>().perturbation_sd = 0.0;
  return config;
}

PredictionFeedback feedback(Index point, double multiplier, double calibration_loss) {
  return {.point = point,
          .beta = test::kBeta,
          .dual_multiplier = multiplier,
          .calibration_loss = calibration_loss};
}

/// Data, and a rule that has been told the first `initial` points as the initial design.
class Player {
 public:
  Player(const Config& config, Data data, Index initial)
      : data_(std::move(data)),
        inputs_(data_.inputs()),
        initial_(initial),
        rule_(make_rule(config, gp::Layout::plain(data_.X.cols()), kGameSeed)) {
    for (Index i = 0; i < initial; ++i) rule_->observe_initial(i, config.beta);
  }

  Vector next(int round) {
    return rule_
        ->next_settings({.inputs = inputs_, .y = data_.y, .initial_points = initial_}, round)
        .theta;
  }

  RuleHandle& rule() { return rule_; }

 private:
  Data data_;
  gp::Inputs inputs_;
  Index initial_;
  RuleHandle rule_;
};

// --- the leader's sum --------------------------------------------------------------------------

struct PointWeights {
  double sharpness = 0.0;
  double calibration = 0.0;
};

/// sum_j v_j L^s_j + w_j L^c_j by definition: each point is predicted from the earlier ones,
/// ignoring the points before `skip`.
double sum_of_losses(const Data& data, double p, const std::vector<PointWeights>& weights,
                     Index skip, double theta) {
  const double s2 = test::kNoise;
  double sum = 0.0;
  for (Index j = skip; j < data.y.size(); ++j) {
    double mean = 0.0;
    double variance = 1.0;
    if (j > skip) {
      const Data before{.X = data.X.middleRows(skip, j - skip),
                        .y = data.y.segment(skip, j - skip)};
      const Eigen::LDLT<gp::test::Matrix> A(
          before.gram(j - skip, KernelShape::matern52, one(theta), s2));
      const Vector k =
          before.covariance(j - skip, KernelShape::matern52, one(theta), data.point(j));
      mean = k.dot(A.solve(before.y));
      variance = 1.0 - k.dot(A.solve(k));
    }
    const double sharpness_loss = std::log1p(variance / s2) / std::log1p(1.0 / s2);
    const double calibration_loss =
        std::pow(std::abs(data.y[j] - mean) / std::sqrt(test::kBeta * (variance + s2)), p) - 1.0;
    const auto& [v, w] = weights[static_cast<std::size_t>(j)];
    sum += v * sharpness_loss + w * calibration_loss;
  }
  return sum;
}

double least_of_scan(const std::function<double(double)>& objective) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= 600; ++i)
    least = std::min(least, objective(1e-2 * std::pow(1e3, i / 600.0)));
  return least;
}

constexpr Index kGameInitial = 5;
const std::vector<double> kMultipliers = {0.2, 0.9, 3.0, 0.05};

Player play_four_rounds(const Config& config) {
  Player player(config, test::smooth_data(kGameInitial + 4, 2, 8), kGameInitial);
  for (std::size_t i = 0; i < kMultipliers.size(); ++i) {
    player.rule()->observe_prediction(
        feedback(kGameInitial + static_cast<Index>(i), kMultipliers[i], -0.5));
  }
  return player;
}

class LeaderOf
    : public testing::TestWithParam<std::tuple<online::PrimalOptions::InitialWeight, double>> {};
INSTANTIATE_TEST_SUITE_P(
    AllSums, LeaderOf,
    testing::Combine(testing::Values(online::PrimalOptions::InitialWeight::multiplier,
                                     online::PrimalOptions::InitialWeight::zero,
                                     online::PrimalOptions::InitialWeight::exclude,
                                     online::PrimalOptions::InitialWeight::prior_only),
                     testing::Values(1.0, 2.0)));

TEST_P(LeaderOf, MinimisesTheSumOfOneStepAheadLosses) {
  const auto [initial_weight, p] = GetParam();
  Config config = exact_game();
  config.edit<online::PrimalOptions>().exponent = p;
  config.edit<online::PrimalOptions>().initial_weight = initial_weight;
  Player player = play_four_rounds(config);
  const double theta = player.next(5)[0];

  PointWeights initial;
  if (initial_weight == online::PrimalOptions::InitialWeight::multiplier) {
    initial = {.sharpness = 1.0, .calibration = online::initial_multiplier(config)};
  } else if (initial_weight == online::PrimalOptions::InitialWeight::zero) {
    initial = {.sharpness = 1.0};
  }
  std::vector<PointWeights> weights(kGameInitial, initial);
  for (const double w : kMultipliers) weights.push_back({.sharpness = 1.0, .calibration = w});
  const Index skip =
      initial_weight == online::PrimalOptions::InitialWeight::prior_only ? kGameInitial : 0;
  const Data data = test::smooth_data(kGameInitial + 4, 2, 8);
  const auto objective = [&](double at) { return sum_of_losses(data, p, weights, skip, at); };
  EXPECT_LE(objective(theta), least_of_scan(objective) + 1e-9);
}

TEST(Leader, DependsOnHowTheInitialDesignEnters) {
  std::vector<double> thetas;
  for (const online::PrimalOptions::InitialWeight weight :
       {online::PrimalOptions::InitialWeight::multiplier,
        online::PrimalOptions::InitialWeight::zero, online::PrimalOptions::InitialWeight::exclude,
        online::PrimalOptions::InitialWeight::prior_only}) {
    Config config = exact_game();
    config.edit<online::PrimalOptions>().initial_weight = weight;
    const double theta = play_four_rounds(config).next(5)[0];
    for (const double other : thetas) EXPECT_GT(std::abs(theta - other), 1e-3);
    thetas.push_back(theta);
  }
}

TEST(Leader, InRecoveryMinimisesCalibrationLossesOnly) {
  Config config = exact_game();
  config.edit<online::RecoveryOptions>().initial_violation = 1e6;
  Player player(config, test::smooth_data(kGameInitial + 1, 2, 8), kGameInitial);
  EXPECT_EQ(player.next(1), one(std::numbers::ln2)) << "without feedback the lengthscale must stay";
  EXPECT_EQ(player.rule()->phase(), Phase::recovery);
  player.rule()->observe_prediction(feedback(kGameInitial, 0.7, 2.0));

  std::vector<PointWeights> weights(kGameInitial);
  weights.push_back({.sharpness = 0.0, .calibration = 0.7});
  const Data data = test::smooth_data(kGameInitial + 1, 2, 8);
  const auto objective = [&](double at) { return sum_of_losses(data, 2.0, weights, 0, at); };
  EXPECT_LE(objective(player.next(2)[0]), least_of_scan(objective) + 1e-9);
}

// --- the perturbation --------------------------------------------------------------------------

TEST(Leader, IsPerturbedByTheStreamOfItsRound) {
  for (const online::PrimalOptions::PerturbedSpace space :
       {online::PrimalOptions::PerturbedSpace::theta, online::PrimalOptions::PerturbedSpace::raw}) {
    for (const online::PrimalOptions::Law law :
         {online::PrimalOptions::Law::normal, online::PrimalOptions::Law::exponential}) {
      for (const int round : {1, 7}) {
        Config config = exact_game();
        config.edit<online::PrimalOptions>().perturbation_sd = 0.5;
        config.edit<online::PrimalOptions>().perturbed_space = space;
        config.edit<online::PrimalOptions>().law = law;
        Player player(config, test::smooth_data(15, 2, 4), 15);
        const Vector theta = player.next(round);

        test::Problem unperturbed(
            test::smooth_data(15, 2, 4), KernelShape::matern52,
            test::game_terms(15, 2.0, 1.0, online::initial_multiplier(config)));
        Vector slope(1);
        unperturbed.J().value_and_gradient(theta, slope);
        const double eta = online::draw_perturbation(
            1, law, 0.5,
            RandomStream(kGameSeed, Purpose::perturbation, static_cast<std::uint64_t>(round)))[0];
        const double softplus_slope = -std::expm1(-theta[0]);
        EXPECT_NEAR(
            slope[0],
            space == online::PrimalOptions::PerturbedSpace::theta ? eta : eta / softplus_slope,
            1e-4);
      }
    }
  }
}

// --- likelihood --------------------------------------------------------------------------------

TEST(Identity, ObjectiveWithEqualWeightsIsProportionalToTheNegativeLikelihood) {
  const double c = std::log1p(1.0 / test::kNoise);
  for (const auto shape :
       {KernelShape::matern12, KernelShape::matern32, KernelShape::matern52, KernelShape::rbf}) {
    const Data data = test::smooth_data(12, 2, 6);
    test::Problem game(data, shape, test::game_terms(12, 2.0, 1.0, test::kBeta / c));
    test::Problem likelihood(data, shape, gp::likelihood_terms(12));
    const double game_at_one = game.J().value(one(1.0));
    const double likelihood_at_one = likelihood.J().value(one(1.0));
    for (const double theta : {0.05, 0.3, 0.7, 4.0}) {
      EXPECT_NEAR(game.J().value(one(theta)) - game_at_one,
                  2.0 / c * (likelihood.J().value(one(theta)) - likelihood_at_one), 1e-10);
    }
  }
}

TEST(Identity, UnperturbedGameWithItsFirstMultiplierFollowsTheLikelihood) {
  for (const LearnerOptions::Solver solver :
       {LearnerOptions::Solver::adam, LearnerOptions::Solver::exact}) {
    Config game = exact_game();
    game.edit<LearnerOptions>().solver = solver;
    Config likelihood = game;
    likelihood.learner = "mll";
    const Data data = test::smooth_data(14, 3, 7);
    EXPECT_NEAR(Player(game, data, 14).next(1)[0], Player(likelihood, data, 14).next(1)[0], 1e-5);
  }
}

TEST(LikelihoodRule, PlaysNoGame) {
  Config config;
  config.learner = "mll";
  Player player(config, test::smooth_data(6, 2, 1), 6);
  EXPECT_FALSE(player.rule()->multiplier());
  EXPECT_FALSE(player.rule()->violation());
  EXPECT_FALSE(player.rule()->phase());
}

// --- first round and starts --------------------------------------------------------------------

TEST(FirstRound, CanUseTheObjectiveTheLikelihoodOrAFixedLengthscale) {
  const Data data = test::smooth_data(10, 2, 3);
  Config config = exact_game();
  config.edit<online::DualOptions>().start =
      online::DualOptions::Start::one;  // makes objective and likelihood differ
  const auto first = [&](online::PrimalOptions::First fit) {
    config.edit<online::PrimalOptions>().first = fit;
    return Player(config, data, 10).next(1)[0];
  };
  test::Problem likelihood(data, KernelShape::matern52, gp::likelihood_terms(10));
  PerturbedObjective plain = likelihood.perturbed();
  const double best_likelihood =
      LengthscaleSolver(config.get<LearnerOptions>())
          .minimise(plain, one(1.0), RandomStream(kGameSeed, Purpose::lengthscale_starts))[0];
  EXPECT_EQ(first(online::PrimalOptions::First::likelihood), best_likelihood);
  EXPECT_EQ(first(online::PrimalOptions::First::fixed), std::numbers::ln2);
  EXPECT_GT(std::abs(first(online::PrimalOptions::First::objective) - best_likelihood), 1e-2);
}

TEST(FirstRound, UsesTheLikelihoodEvenIfTheInitialDesignIsNotInTheSum) {
  const Data data = test::smooth_data(10, 2, 3);
  for (const online::PrimalOptions::InitialWeight weight :
       {online::PrimalOptions::InitialWeight::exclude,
        online::PrimalOptions::InitialWeight::prior_only}) {
    Config config = exact_game();
    config.edit<online::PrimalOptions>().first = online::PrimalOptions::First::likelihood;
    const double expected = Player(config, data, 10).next(1)[0];
    config.edit<online::PrimalOptions>().initial_weight = weight;
    EXPECT_EQ(Player(config, data, 10).next(1)[0], expected);
  }
}

TEST(FirstRound, StaysInsideTheBoundsOfTheLengthscale) {
  Config config;
  config.edit<online::PrimalOptions>().first = online::PrimalOptions::First::fixed;
  config.edit<LearnerOptions>().theta_min = 1.0;
  const Data data = test::smooth_data(10, 2, 3);
  EXPECT_EQ(Player(config, data, 10).next(1)[0], 1.0);
  config.edit<LearnerOptions>().theta_min = 0.01;
  config.edit<LearnerOptions>().theta_max = 0.5;
  EXPECT_EQ(Player(config, data, 10).next(1)[0], 0.5);
}

/// Raw coordinates of the lengthscales in six rounds of five Adam steps each, on data with a much
/// shorter lengthscale.
std::vector<double> raw_course(Config config) {
  config.edit<LearnerOptions>().adam_steps = 5;
  config.edit<online::PrimalOptions>().perturbation_sd = 0.0;
  Data data = test::smooth_data(12, 1, 2);
  data.y = Vector::NullaryExpr(12, [](Index i) { return i % 2 == 0 ? 1.0 : -1.0; });
  Player player(config, data, 6);
  std::vector<double> course;
  for (int round = 1; round <= 6; ++round) {
    course.push_back(Transform(LearnerOptions::Transform::softplus).raw(player.next(round)[0]));
    player.rule()->observe_prediction(feedback(5 + round, 0.4, 0.0));
  }
  return course;
}

TEST(Starts, WarmStartsDriftAndColdStartsDoNot) {
  for (const char* rule : {"game", "mll"}) {
    Config config;
    config.learner = rule;
    const std::vector<double> warm = raw_course(config);
    EXPECT_LT(warm.back(), -0.25);
    for (std::size_t i = 1; i < warm.size(); ++i) EXPECT_NEAR(warm[i] - warm[i - 1], -0.05, 0.01);
    config.edit<LearnerOptions>().start = LearnerOptions::Start::cold;
    for (const double raw : raw_course(config)) EXPECT_NEAR(raw, -0.05, 0.01);
  }
}

TEST(Starts, FromALikelihoodFitNeedASecondFit) {
  Config config;
  config.edit<LearnerOptions>().start = LearnerOptions::Start::likelihood;
  Player player(config, test::smooth_data(10, 2, 3), 10);
  player.next(1);
  EXPECT_EQ(player.rule()->evaluations(), 2 * config.get<LearnerOptions>().adam_steps);
}

// --- values ------------------------------------------------------------------------------------

TEST(RuleHandle, CopyContinuesIndependently) {
  for (const std::string kind : {"game", "mll"}) {
    Config config;
    config.learner = kind;
    const Data data = test::smooth_data(8, 2, 1);
    const gp::Inputs inputs = data.inputs();
    const Observations observations{.inputs = inputs, .y = data.y, .initial_points = 7};
    RuleHandle rule = make_rule(config, gp::Layout::plain(2), kGameSeed);
    for (Index i = 0; i < 7; ++i) rule->observe_initial(i, config.beta);
    rule->next_settings(observations, 1);

    RuleHandle copy = rule;
    rule->observe_prediction(feedback(7, 0.4, 50.0));
    const Vector expected = rule->next_settings(observations, 2).theta;
    EXPECT_EQ(copy->multiplier() != rule->multiplier(), kind == "game");
    copy->observe_prediction(feedback(7, 0.4, 50.0));
    EXPECT_EQ(copy->next_settings(observations, 2).theta, expected);
    EXPECT_EQ(copy->multiplier(), rule->multiplier());
  }
}

}  // namespace
}  // namespace oscbo::learners
