// The example of docs/architecture.md, "Adding a method", as a program: its rule and its test are
// compiled as they stand there, and its line of the registry takes effect before the tests start.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "learners/registry.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo::learners {

std::unique_ptr<LengthscaleRule> make_nearest_rule(const Config& config, const gp::Layout& layout,
                                                   std::uint64_t seed);

namespace {

std::vector<RuleInfo> added_rules() {
  return {
#include "gp/kernel_options.hpp"
#include "nearest_rule_registry_line.inc"
  };
}

}  // namespace
}  // namespace oscbo::learners

namespace oscbo {
namespace {

constexpr std::uint64_t kSeed = 5;
constexpr int kInitialPoints = 4;
constexpr int kRounds = 6;
const std::vector<Bounds> kBounds = {{.lower = -5.0, .upper = 10.0}, {.lower = 0.0, .upper = 30.0}};

double hill(const std::vector<double>& x) { return std::cos(0.5 * x[0]) - 0.01 * x[1] * x[1]; }

Config nearest_config() {
  Config config = method_config("nearest-gp-ucb");
  config.initial_points = kInitialPoints;
  return config;
}

Optimizer after_points(int points, const Config& config) {
  Optimizer optimizer(kBounds, config, kSeed);
  for (int i = 0; i < points; ++i) {
    const Suggestion next = optimizer.ask();
    optimizer.tell(next.trial, hill(next.x));
  }
  return optimizer;
}

/// The rule's lengthscale for the first `count` trials, from the points as the user knows them.
double expected_lengthscale(const std::vector<Trial>& trials, std::size_t count) {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < count; ++j) {
      if (i == j) continue;
      nearest = std::min(nearest, std::hypot((trials[i].x[0] - trials[j].x[0]) / 15.0,
                                             (trials[i].x[1] - trials[j].x[1]) / 30.0));
    }
    sum += nearest;
  }
  return sum / static_cast<double>(count);
}

TEST(AddedMethod, IsListedWithTheOthers) {
  const std::vector<MethodInfo> list = methods();
  EXPECT_EQ(std::count_if(list.begin(), list.end(),
                          [](const MethodInfo& method) { return method.name == "nearest-gp-ucb"; }),
            1);
  EXPECT_EQ(nearest_config().learner, "nearest");
}

TEST(AddedMethod, IsHeldToWhatItsLineSays) {
  Config config = nearest_config();
  config.edit<gp::KernelOptions>().ard = true;
  EXPECT_THROW(validate(config), Error);
}

TEST(AddedMethod, GivesTheLengthscaleOfEveryRound) {
  const Optimizer optimizer = after_points(kInitialPoints + kRounds, nearest_config());
  const std::vector<Trial>& trials = optimizer.trials();
  ASSERT_EQ(optimizer.rounds(), kRounds);
  for (std::size_t i = kInitialPoints; i < trials.size(); ++i) {
    ASSERT_TRUE(trials[i].prediction());
    ASSERT_EQ(trials[i].prediction()->lengthscales.size(), 1U);
    EXPECT_NEAR(trials[i].prediction()->lengthscales[0], expected_lengthscale(trials, i), 1e-12);
  }
}

TEST(AddedMethod, SuggestsWhatItsLengthscaleSuggestsWhenGiven) {
  const Suggestion next = after_points(kInitialPoints, nearest_config()).ask();
  Config given = nearest_config();
  given.learner = "fixed";
  given.edit<gp::KernelOptions>().lengthscale = next.prediction->lengthscales[0];
  const Suggestion same = after_points(kInitialPoints, given).ask();
  EXPECT_EQ(next.x, same.x);
  EXPECT_EQ(next.prediction->mean, same.prediction->mean);
  EXPECT_EQ(next.prediction->sd, same.prediction->sd);

  given.edit<gp::KernelOptions>().lengthscale *= 2.0;
  EXPECT_NE(next.x, after_points(kInitialPoints, given).ask().x);
}

}  // namespace
}  // namespace oscbo

int main(int argc, char** argv) {
  for (const oscbo::learners::RuleInfo& rule : oscbo::learners::added_rules()) {
    oscbo::learners::register_rule(rule);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
