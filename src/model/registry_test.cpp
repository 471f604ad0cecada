#include "model/registry.hpp"

#include <set>

#include <gtest/gtest.h>

#include "learners/sharp_options.hpp"
#include "model/model_test_support.hpp"
#include "oscbo/error.hpp"

namespace oscbo::model {
namespace {

using test::kSeed;

/// model_after tells the strategy about points `from` .. `to` - 1, and returns the model of the
/// next round.
ModelDescription model_after(StrategyHandle& strategy, Index from, Index to, int round) {
  for (Index i = from; i < to; ++i) {
    if (round == 1) strategy->observe_initial(i, test::kBeta);
    if (round > 1) strategy->observe_unasked(i, test::kBeta);
  }
  const test::Data data = test::smooth_data(to, 2, 1);
  const gp::Inputs inputs = data.inputs();
  strategy->fit({.inputs = inputs, .y = data.y, .initial_points = 8}, round);
  strategy->keep_fit(0.0);
  return strategy->model(Scope::round);
}

void expect_equal(const ModelDescription& a, const ModelDescription& b, const std::string& name) {
  EXPECT_EQ(a.lengthscales, b.lengthscales) << name;
  EXPECT_EQ(a.noise_variance, b.noise_variance) << name;
  EXPECT_EQ(a.multiplier, b.multiplier) << name;
  EXPECT_EQ(a.points, b.points) << name;
  EXPECT_EQ(a.fitted_means, b.fitted_means) << name;
  EXPECT_EQ(a.plan.lower, b.plan.lower) << name;
}

TEST(ModelRegistry, EveryStrategyHasANameAndAMethodOfItsOwn) {
  std::set<std::string> names;
  std::set<std::string> methods;
  for (const ModelInfo& model : models()) {
    names.insert(model.name);
    methods.insert(model.method);
    EXPECT_FALSE(model.meaning.empty());
  }
  EXPECT_EQ(names.size(), models().size());
  EXPECT_EQ(methods.size(), models().size());
  EXPECT_EQ(models().front().name, "auto") << "what people should use comes first";
}

TEST(ModelRegistry, RefusesAStrategyThatItDoesNotKnow) {
  Config config;
  config.learner = "oscbo";
  EXPECT_THROW(static_cast<void>(model_of(config)), Error) << "a method is not a strategy";
}

TEST(ModelRegistry, CopyOfEveryStrategyContinuesOnItsOwn) {
  for (const ModelInfo& info : models()) {
    Config config = test::config_of(info.name);
    config.edit<learners::SharpOptions>().condition = learners::SharpOptions::Condition::training;
    StrategyHandle strategy = make_strategy(config, gp::Layout::plain(2), kSeed);
    static_cast<void>(model_after(strategy, 0, 8, 1));
    StrategyHandle copy = strategy;
    const ModelDescription expected = model_after(strategy, 8, 9, 2);
    static_cast<void>(model_after(strategy, 9, 12, 3));
    expect_equal(model_after(copy, 8, 9, 2), expected, info.name);
  }
}

TEST(ModelRegistry, AFitThatWasNotKeptLeavesNoTrace) {
  const test::Data data = test::smooth_data(11, 2, 1);
  const gp::Inputs inputs = data.inputs();
  for (const ModelInfo& info : models()) {
    StrategyHandle strategy =
        make_strategy(test::config_of(info.name), gp::Layout::plain(2), kSeed);
    static_cast<void>(model_after(strategy, 0, 8, 1));
    StrategyHandle other = strategy;
    for (int i = 0; i < 3; ++i) {
      other->fit({.inputs = inputs, .y = data.y, .initial_points = 8}, 2);
    }
    other->undo_fit();
    expect_equal(model_after(other, 8, 9, 2), model_after(strategy, 8, 9, 2), info.name);
  }
}

TEST(ModelRegistry, EveryStrategyTakesParametersThatAreNotNumeric) {
  const test::Data data = test::mixed_data(30);
  const gp::Inputs inputs = data.inputs();
  for (const ModelInfo& info : models()) {
    StrategyHandle strategy =
        make_strategy(test::config_of(info.name), test::mixed_layout(), kSeed);
    for (const int round : {1, 2}) {
      strategy->fit({.inputs = inputs, .y = data.y, .initial_points = 30}, round);
      const prediction::Moments moments = strategy->predictor(Scope::round).at(inputs.point(3));
      EXPECT_TRUE(std::isfinite(moments.mean)) << info.name;
      EXPECT_GT(moments.variance, 0.0) << info.name;
      EXPECT_GT(strategy->doubles_held(), 0) << info.name;
    }
  }
}

TEST(ModelRegistry, AModelOfAllObservationsLeavesTheOneOfTheRound) {
  const test::Data data = test::smooth_data(60, 2, 1);
  const gp::Inputs inputs = data.inputs();
  const Observations observations{.inputs = inputs, .y = data.y, .initial_points = 60};
  StrategyHandle strategy = make_strategy(test::auto_settings(), gp::Layout::plain(2), kSeed);
  for (const int round : {1, 2}) {
    strategy->fit(observations, round);
    strategy->keep_fit(0.0);
  }
  const ModelDescription near_best = strategy->model(Scope::round);
  ASSERT_FALSE(near_best.points.empty());
  EXPECT_FALSE(near_best.notes.empty());
  const double before = strategy->predictor(Scope::round).at(std::vector{0.5, 0.5}).variance;
  strategy->fit_all(observations, 2);
  EXPECT_TRUE(strategy->model(Scope::all).points.empty());
  EXPECT_EQ(strategy->model(Scope::all).fitted_means.size(), 60);
  EXPECT_EQ(strategy->predictor(Scope::all).size(), 60);
  expect_equal(strategy->model(Scope::round), near_best, "auto");
  EXPECT_EQ(strategy->predictor(Scope::round).at(std::vector{0.5, 0.5}).variance, before);
}

}  // namespace
}  // namespace oscbo::model
