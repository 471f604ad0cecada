#include "model/success_model.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "numeric/normal.hpp"
#include "numeric/random_stream.hpp"

namespace oscbo::model {
namespace {

/// model_after returns a model of n evaluations all over the unit cube.
SuccessModel model_after(int n, gp::Index dimension,
                         const std::function<double(const std::vector<double>&)>& chance) {
  SuccessModel model(gp::Layout::plain(dimension));
  numeric::RandomStream stream(3, numeric::Purpose::initial_design);
  std::vector<double> x(static_cast<std::size_t>(dimension));
  for (int i = 0; i < n; ++i) {
    for (double& coordinate : x) coordinate = stream.uniform();
    model.add(x, stream.uniform() < chance(x));
  }
  model.fit();
  return model;
}

double probability(SuccessModel& model, const std::vector<double>& x) {
  return std::exp(model.log_probability(x));
}

TEST(SuccessModel, FindsTheRegionThatFailsAmongManyParameters) {
  SuccessModel model = model_after(60, 4, [](const auto& x) { return x[2] > 0.7 ? 0.0 : 1.0; });
  numeric::RandomStream stream(4, numeric::Purpose::initial_design);
  int right = 0;
  constexpr int kProbes = 200;
  std::vector<double> x(4);
  for (int i = 0; i < kProbes; ++i) {
    for (double& coordinate : x) coordinate = stream.uniform();
    right += (probability(model, x) > 0.5) == (x[2] <= 0.7) ? 1 : 0;
  }
  EXPECT_GT(right, kProbes * 9 / 10);
  EXPECT_LT(probability(model, {0.5, 0.5, 0.9, 0.5}), 0.1);
  EXPECT_GT(probability(model, {0.5, 0.5, 0.3, 0.5}), 0.9);
}

// Some evaluations fail at random. The model must give their rate there.
TEST(SuccessModel, GivesTheRateOfFailuresThatChanceDecides) {
  SuccessModel model = model_after(200, 2, [](const auto& x) { return x[0] < 0.5 ? 0.7 : 1.0; });
  double sum = 0.0;
  for (int i = 0; i < 25; ++i) {
    sum += probability(model, {0.05 + 0.08 * (i % 5), 0.1 + 0.2 * (i / 5)}) / 25.0;
  }
  EXPECT_NEAR(sum, 0.7, 0.12);
  EXPECT_GT(probability(model, {0.8, 0.5}), 0.9);
}

// The exclusion shrinks with evidence: repeated success next to a failure restores trust.
TEST(SuccessModel, TrustsAPlaceAgainWhereLaterEvaluationsSucceed) {
  SuccessModel model(gp::Layout::plain(2));
  for (const double x : {0.1, 0.4, 0.6, 0.9}) model.add(std::vector{x, 0.2}, true);
  const std::vector<double> place{0.5, 0.8};
  model.add(place, false);
  model.fit();
  double before = probability(model, place);
  EXPECT_LT(before, 0.5);
  for (int i = 0; i < 3; ++i) {
    model.add(std::vector{0.5 + 1e-3 * (i + 1), 0.8}, true);
    model.fit();
    const double after = probability(model, place);
    EXPECT_GT(after, before);
    before = after;
  }
  EXPECT_GT(before, 0.5);
}

TEST(SuccessModel, ExpectsTheUsualRateFarFromEverything) {
  SuccessModel model(gp::Layout::plain(1));
  for (int i = 0; i < 8; ++i) model.add(std::vector{1e-3 * i}, i % 4 != 0);
  model.fit();
  EXPECT_NEAR(probability(model, {50.0}), 0.7, 0.01) << "(6 + 1) / (8 + 2)";
}

TEST(SuccessModel, HasAnAnswerWhereEverythingFailed) {
  SuccessModel model = model_after(30, 3, [](const auto& /*x*/) { return 0.0; });
  const double chance = probability(model, {0.5, 0.5, 0.5});
  EXPECT_GT(chance, 0.0);
  EXPECT_LT(chance, 0.8 / 32.0) << "less than the usual rate, (0 + 1) / (30 + 2)";
}

/// probability_after returns P(success | this many successes at the same point) by the trapezoidal
/// rule. The prior of f is N(0, 3^2).
double probability_after(int successes) {
  double mass = 0.0;
  double again = 0.0;
  for (double u = -8.0; u <= 8.0; u += 1e-3) {
    const double p = numeric::normal_cdf(3.0 * u);
    const double weight = numeric::normal_density(u) * std::pow(p, successes);
    mass += weight;
    again += weight * p;
  }
  return again / mass;
}

// There are as many successes as failures, far from each other, so the usual rate is one half.
// Replacing the posterior by a Gaussian changes the probability by less than 0.01.
TEST(SuccessModel, IsCloseToTheTruePosteriorOfEvaluationsOfOnePoint) {
  for (const int each : {1, 3, 10}) {
    SuccessModel model(gp::Layout::plain(1));
    for (int i = 0; i < each; ++i) {
      model.add(std::vector{0.0}, true);
      model.add(std::vector{1e3}, false);
    }
    model.fit();
    EXPECT_NEAR(probability(model, {0.0}), probability_after(each), 0.01) << each;
    EXPECT_NEAR(probability(model, {1e3}), 1.0 - probability_after(each), 0.01) << each;
  }
}

// The probability is Phi(E f / sqrt(1 + var f)) with E f = 9 sqrt(2 / (10 pi)) and var f = 9 - 81 /
// (5 pi).
TEST(SuccessModel, HasTheMomentsOfTheTruePosteriorOfOneEvaluation) {
  SuccessModel model(gp::Layout::plain(1));
  model.add(std::vector{0.0}, true);
  model.add(std::vector{1e3}, false);
  model.fit();
  EXPECT_NEAR(probability(model, {0.0}), 0.848924205, 1e-4);
}

TEST(SuccessModel, DoesNotMindEvaluationsOfOnePoint) {
  SuccessModel model(gp::Layout::plain(2));
  for (int i = 0; i < 40; ++i) model.add(std::vector{0.5, 0.5}, i % 4 != 0);
  model.fit();
  EXPECT_NEAR(probability(model, {0.5, 0.5}), 0.75, 0.05);
}

TEST(SuccessModel, HasAPredictorThatGivesTheSameProbability) {
  SuccessModel model = model_after(30, 2, [](const auto& x) { return x[0] > 0.5 ? 0.0 : 1.0; });
  const std::vector<double> x{0.45, 0.3};
  const prediction::Moments moments = model.predictor().at(x);
  const double sd = std::sqrt(moments.variance + model.added_variance());
  EXPECT_NEAR(numeric::log_normal_cdf((moments.mean - model.threshold()) / sd),
              model.log_probability(x), 1e-12);
}

TEST(SuccessModel, SaysTheSameWheneverItWasFitted) {
  const auto model_with = [](bool fits_often) {
    SuccessModel model(gp::Layout::plain(2));
    numeric::RandomStream stream(5, numeric::Purpose::initial_design);
    for (int i = 0; i < 20; ++i) {
      const std::vector<double> x{stream.uniform(), stream.uniform()};
      model.add(x, x[0] < 0.6);
      if (fits_often) model.fit();
    }
    model.fit();
    return model.log_probability(std::vector{0.55, 0.5});
  };
  EXPECT_EQ(model_with(true), model_with(false));
}

// If there are very many evaluations, the model uses the latest ones, but never only successes.
TEST(SuccessModel, RemembersFailuresAmongVeryManySuccesses) {
  SuccessModel model = model_after(100, 2, [](const auto& x) { return x[0] > 0.8 ? 0.0 : 1.0; });
  numeric::RandomStream stream(6, numeric::Purpose::initial_design);
  for (int i = 0; i < 1000; ++i) {
    model.add(std::vector{0.8 * stream.uniform(), stream.uniform()}, true);
  }
  model.fit();
  EXPECT_LT(probability(model, {0.95, 0.5}), 0.3);
  EXPECT_GT(probability(model, {0.3, 0.5}), 0.95);
  EXPECT_LT(model.doubles_held(), 4 * 256 * 256);
}

}  // namespace
}  // namespace oscbo::model
