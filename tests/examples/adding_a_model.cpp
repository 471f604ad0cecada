// The example of docs/architecture.md, "Adding a model", as a program: its strategy and its test
// are compiled as they stand there, and its line of the registry takes effect before the tests
// start.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "model/registry.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo::model {

StrategyFactory make_neighbour_strategy;

namespace {

std::vector<ModelInfo> added_models() {
  return {
#include "neighbour_strategy_registry_line.inc"
  };
}

}  // namespace
}  // namespace oscbo::model

namespace oscbo {
namespace {

constexpr int kInitialPoints = 8;
const std::vector<Bounds> kBounds = {{.lower = -1.0, .upper = 1.0}, {.lower = 0.0, .upper = 4.0}};

double hill(const std::vector<double>& x) {
  return -std::pow(x[0] - 0.3, 2) - 0.1 * std::pow(x[1] - 1.0, 2);
}

Config neighbour_config() {
  Config config = method_config("neighbour-ucb");
  config.initial_points = kInitialPoints;
  return config;
}

/// The best value after `rounds` batches of `count` points each.
double best_after(Optimizer& optimizer, int rounds, int count) {
  double best = -1e9;
  for (int i = 0; i < rounds; ++i) {
    for (const Suggestion& next : optimizer.ask(count)) {
      optimizer.tell(next.trial, hill(next.x));
      best = std::max(best, hill(next.x));
    }
  }
  return best;
}

TEST(AddedModel, IsListedWithTheOthers) {
  const std::vector<MethodInfo> list = methods();
  EXPECT_EQ(std::count_if(list.begin(), list.end(),
                          [](const MethodInfo& method) { return method.name == "neighbour-ucb"; }),
            1);
}

TEST(AddedModel, OptimisesAndHasNoLengthscales) {
  Optimizer optimizer(kBounds, neighbour_config(), 1);
  const double initial = best_after(optimizer, kInitialPoints, 1);
  EXPECT_GT(best_after(optimizer, 30, 1), initial);
  const Trial& last = optimizer.trials().back();
  ASSERT_TRUE(last.prediction());
  EXPECT_TRUE(last.prediction()->lengthscales.empty());
  EXPECT_GT(last.prediction()->sd, 0.0);
  EXPECT_TRUE(last.feedback());
}

TEST(AddedModel, KeepsPendingPointsApart) {
  Optimizer optimizer(kBounds, neighbour_config(), 2);
  best_after(optimizer, kInitialPoints, 1);
  const std::vector<Suggestion> batch = optimizer.ask(4);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GT(
          std::hypot((batch[i].x[0] - batch[j].x[0]) / 2.0, (batch[i].x[1] - batch[j].x[1]) / 4.0),
          0.05);
    }
  }
}

TEST(AddedModel, TakesTheOtherAcquisitionsAndSpaces) {
  for (const char* acquisition : {"ucb", "logei", "ei", "pi", "thompson"}) {
    Config config = neighbour_config();
    set_option(config, "acquisition", acquisition);
    Optimizer optimizer(kBounds, config, 3);
    EXPECT_TRUE(std::isfinite(best_after(optimizer, kInitialPoints + 3, 1))) << acquisition;
  }
  Optimizer mixed(
      Space::from_json(R"({"parameters": {"x": {"type": "float", "lower": 0, "upper": 1},
                                                      "n": {"type": "int", "lower": 1, "upper": 9}}})"),
      neighbour_config(), 4);
  for (int i = 0; i < kInitialPoints + 5; ++i) {
    const Suggestion next = mixed.ask();
    mixed.tell(next.trial, next.x[0] - 0.1 * next.x[1]);
  }
  EXPECT_EQ(mixed.rounds(), 5);
}

TEST(AddedModel, ReplaysItsLog) {
  Optimizer optimizer(kBounds, neighbour_config(), 5);
  best_after(optimizer, kInitialPoints + 5, 1);
  Optimizer again = Optimizer::replay(optimizer.space(), optimizer.config(), 5, optimizer.log());
  EXPECT_EQ(optimizer.ask().x, again.ask().x);
}

}  // namespace
}  // namespace oscbo

int main(int argc, char** argv) {
  for (const oscbo::model::ModelInfo& model : oscbo::model::added_models()) {
    oscbo::model::register_model(model);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
