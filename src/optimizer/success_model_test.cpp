#include "optimizer/success_model.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "numeric/random_stream.hpp"

namespace oscbo {
namespace {

/// A model of the outcomes of n evaluations all over the unit cube.
SuccessModel model_of(int n, gp::Index dimension,
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

TEST(SuccessModel, FindsTheRegionThatFailsAmongManyParameters) {
  SuccessModel model = model_of(60, 4, [](const auto& x) { return x[2] > 0.7 ? 0.0 : 1.0; });
  numeric::RandomStream stream(4, numeric::Purpose::initial_design);
  int right = 0;
  constexpr int kProbes = 200;
  std::vector<double> x(4);
  for (int i = 0; i < kProbes; ++i) {
    for (double& coordinate : x) coordinate = stream.uniform();
    right += (model.probability(x) > 0.5) == (x[2] <= 0.7) ? 1 : 0;
  }
  EXPECT_GT(right, kProbes * 9 / 10);
  EXPECT_LT(model.probability(std::vector{0.5, 0.5, 0.9, 0.5}), 0.1);
  EXPECT_GT(model.probability(std::vector{0.5, 0.5, 0.3, 0.5}), 0.9);
}

// Some fail by chance: what the model says there is how often.
TEST(SuccessModel, GivesTheRateOfFailuresThatChanceDecides) {
  SuccessModel model = model_of(200, 2, [](const auto& x) { return x[0] < 0.5 ? 0.7 : 1.0; });
  double sum = 0.0;
  for (int i = 0; i < 25; ++i) {
    sum += model.probability(std::vector{0.05 + 0.08 * (i % 5), 0.1 + 0.2 * (i / 5)}) / 25.0;
  }
  EXPECT_NEAR(sum, 0.7, 0.12);
  EXPECT_GT(model.probability(std::vector{0.8, 0.5}), 0.9);
}

// "... an exclusion that shrinks with evidence": success next to a failure, and again, restores
// trust.
TEST(SuccessModel, TrustsAPlaceAgainWhereLaterEvaluationsSucceed) {
  SuccessModel model(gp::Layout::plain(2));
  for (const double x : {0.1, 0.4, 0.6, 0.9}) model.add(std::vector{x, 0.2}, true);
  const std::vector<double> place{0.5, 0.8};
  model.add(place, false);
  model.fit();
  double before = model.probability(place);
  EXPECT_LT(before, 0.5);
  for (int i = 0; i < 3; ++i) {
    model.add(std::vector{0.5 + 1e-3 * (i + 1), 0.8}, true);
    model.fit();
    const double after = model.probability(place);
    EXPECT_GT(after, before);
    before = after;
  }
  EXPECT_GT(before, 0.5);
}

TEST(SuccessModel, ExpectsTheUsualRateFarFromEverything) {
  SuccessModel model(gp::Layout::plain(1));
  for (int i = 0; i < 8; ++i) model.add(std::vector{1e-3 * i}, i % 4 != 0);
  model.fit();
  EXPECT_NEAR(model.probability(std::vector{50.0}), 0.7, 0.01) << "(6 + 1) / (8 + 2)";
}

TEST(SuccessModel, HasAnAnswerWhereEverythingFailed) {
  SuccessModel model = model_of(30, 3, [](const auto& /*x*/) { return 0.0; });
  const double chance = model.probability(std::vector{0.5, 0.5, 0.5});
  EXPECT_GT(chance, 0.0);
  EXPECT_LT(chance, 0.1);
}

TEST(SuccessModel, DoesNotMindEvaluationsOfOnePoint) {
  SuccessModel model(gp::Layout::plain(2));
  for (int i = 0; i < 40; ++i) model.add(std::vector{0.5, 0.5}, i % 4 != 0);
  model.fit();
  EXPECT_NEAR(model.probability(std::vector{0.5, 0.5}), 0.75, 0.05);
}

TEST(SuccessModel, WeightsByTheProbabilityThatItGives) {
  SuccessModel model = model_of(30, 2, [](const auto& x) { return x[0] > 0.5 ? 0.0 : 1.0; });
  const std::vector<double> x{0.45, 0.3};
  const acquisition::Limit limit = model.limit();
  EXPECT_NEAR(std::exp(limit.weight(limit.model.model->at(x)).value), model.probability(x), 1e-12);
}

}  // namespace
}  // namespace oscbo
