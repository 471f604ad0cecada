#include "online/mirror_descent.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/tools/minima.hpp>
#include <gtest/gtest.h>

namespace oscbo::online {
namespace {

constexpr double kPlayCap = 3.499636;
constexpr double kRecoveryCap = 1.0;

double divergence(DualOptions::Regulariser regulariser, double a, double b) {
  if (regulariser == DualOptions::Regulariser::euclidean) return 0.5 * (a - b) * (a - b);
  return (a > 0.0 ? a * std::log(a / b) : 0.0) - a + b;
}

/// argmin over [0, cap] of g lambda + D(lambda, previous) / rate, by Brent's method.
double numerical_step(DualOptions::Regulariser regulariser, double previous, double gradient,
                      double rate, double cap) {
  const auto objective = [&](double lambda) {
    return gradient * lambda + divergence(regulariser, lambda, previous) / rate;
  };
  return boost::math::tools::brent_find_minima(objective, 0.0, cap, 50).first;
}

class StepOnDomain : public testing::TestWithParam<std::tuple<DualOptions::Regulariser, double>> {};
INSTANTIATE_TEST_SUITE_P(Both, StepOnDomain,
                         testing::Combine(testing::Values(DualOptions::Regulariser::entropy,
                                                          DualOptions::Regulariser::euclidean),
                                          testing::Values(kPlayCap, kRecoveryCap)));

TEST_P(StepOnDomain, MinimisesLinearisedUtilityPlusDivergence) {
  const auto [regulariser, cap] = GetParam();
  for (const double previous : {0.01, 0.433358, 0.9, 3.4}) {
    for (const double gradient : {-30.0, -1.0, -0.2, 0.0, 0.5, 1.0, 8.0}) {
      for (const double rate : {0.001, 0.1, 0.5}) {
        OnlineMirrorDescent learner(previous, cap, rate, regulariser);
        const double first = learner.next_element();
        learner.observe_utility(gradient);
        // The numerical minimum is only as accurate as the square root of its value's rounding
        // error.
        EXPECT_NEAR(learner.next_element(), numerical_step(regulariser, first, gradient, rate, cap),
                    1e-6)
            << "from " << previous << ", gradient " << gradient << ", rate " << rate;
      }
    }
  }
}

TEST_P(StepOnDomain, StartsInsideTheDomainAndNeverLeavesIt) {
  const auto [regulariser, cap] = GetParam();
  OnlineMirrorDescent learner(1e6, cap, 0.1, regulariser);
  EXPECT_EQ(learner.next_element(), cap);
  for (const double gradient : {1.0, -1e300, 1e300, -5.0, 1e300, 1e300, -1e300}) {
    learner.observe_utility(gradient);
    EXPECT_GE(learner.next_element(), 0.0);
    EXPECT_LE(learner.next_element(), cap);
  }
  EXPECT_EQ(learner.next_element(), cap);
}

TEST(EntropicMirrorDescent, StopsAtAFloorThatItCanLeaveAgain) {
  OnlineMirrorDescent learner(0.5, kPlayCap, 1.0, DualOptions::Regulariser::entropy);
  for (int i = 0; i < 100; ++i) learner.observe_utility(1e3);
  EXPECT_EQ(learner.next_element(), 1e-12);
  learner.observe_utility(-std::log(1e12));
  EXPECT_NEAR(learner.next_element(), 1.0, 1e-12);
}

TEST(EuclideanMirrorDescent, ReachesZeroAndReturns) {
  OnlineMirrorDescent learner(0.5, kPlayCap, 1.0, DualOptions::Regulariser::euclidean);
  learner.observe_utility(10.0);
  EXPECT_EQ(learner.next_element(), 0.0);
  learner.observe_utility(-0.25);
  EXPECT_EQ(learner.next_element(), 0.25);
}

// The textbook bound with step size sqrt(D / T): the regret is at most of order sqrt(T). The
// adversary chooses gradients that oppose each decision.
TEST_P(StepOnDomain, AverageRegretVanishesAgainstAnAdversary) {
  const auto [regulariser, cap] = GetParam();
  constexpr int kRounds = 1000;
  OnlineMirrorDescent learner(0.5 * cap, cap, 1.0 / std::sqrt(kRounds), regulariser);
  double sum = 0.0;
  double loss = 0.0;
  for (int t = 0; t < kRounds; ++t) {
    const double gradient = learner.next_element() > 0.5 * cap ? 1.0 : -1.0;
    sum += gradient;
    loss += gradient * learner.next_element();
    learner.observe_utility(gradient);
  }
  const double best_in_hindsight = std::min(0.0, sum * cap);
  EXPECT_LT((loss - best_in_hindsight) / kRounds, 2.0 * cap * cap / std::sqrt(kRounds));
}

}  // namespace
}  // namespace oscbo::online
