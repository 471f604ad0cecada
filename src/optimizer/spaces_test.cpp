// Optimizers on spaces that are not boxes: proposed, repeated, given and queued points, and
// widening.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "gp/kernel_options.hpp"
#include "online/width_options.hpp"
#include "optimizer/optimizer_test_support.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo {
namespace {

using test::expect_refused;
using test::short_config;
using enum ParameterKind;

/// recipes has two recipes with their own parameters, a number of stages, and a temperature.
Space recipes() {
  return Space({.parameters = {{.name = "recipe", .kind = categorical, .values = {"wet", "dry"}},
                               {.name = "flow", .when = Condition{"recipe", {"wet"}}},
                               {.name = "grain",
                                .kind = integer,
                                .lower = 1.0,
                                .upper = 64.0,
                                .log = true,
                                .when = Condition{"recipe", {"dry"}}},
                               {.name = "stages", .kind = integer, .lower = 1.0, .upper = 6.0},
                               {.name = "temperature", .lower = 20.0, .upper = 80.0},
                               {.name = "vessel", .kind = fixed, .levels = {2.0}}}});
}

double yield(const std::vector<double>& x) {
  const double own =
      x[0] == 0.0 ? 1.0 - std::pow(x[1] - 0.3, 2) : 1.5 - 0.1 * std::pow(std::log2(x[2]) - 4.0, 2);
  return own - 0.05 * std::pow(x[3] - 4.0, 2) - std::pow((x[4] - 50.0) / 60.0, 2);
}

/// small_grid has twelve points.
Space small_grid() {
  return Space({.parameters = {{.name = "c", .kind = categorical, .values = {"x", "y", "z"}},
                               {.name = "n", .kind = integer, .lower = 0.0, .upper = 3.0}}});
}

std::string key_of(const std::vector<double>& x) {
  std::string key;
  for (const double value : x) key += std::to_string(value) + ",";
  return key;
}

class MethodOnSpaces : public testing::TestWithParam<std::string> {
 protected:
  static Config config() {
    Config config = short_config(GetParam());
    config.edit<online::WidthOptions>().kind =
        online::WidthOptions::Kind::constant;  // the width of the theory is for boxes
    return config;
  }
};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.push_back(method.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Every, MethodOnSpaces, testing::ValuesIn(method_names()),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(MethodOnSpaces, ProposesPointsOfTheSpaceAndNoneTwice) {
  Optimizer optimizer(recipes(), config(), 3);
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    const Suggestion next = optimizer.ask();
    EXPECT_NO_THROW(optimizer.space().check(next.x));
    EXPECT_TRUE(seen.insert(key_of(next.x)).second) << optimizer.space().describe(next.x);
    optimizer.tell(next.trial, yield(next.x));
  }
}

TEST_P(MethodOnSpaces, FindsEveryPointOfASmallSpaceOnceAndSaysSo) {
  Optimizer optimizer(small_grid(), config(), 1);
  std::set<std::string> seen;
  for (int i = 0; i < 12; ++i) {
    const Suggestion next = optimizer.ask();
    seen.insert(key_of(next.x));
    optimizer.tell(next.trial, -std::pow(next.x[1] - next.x[0], 2));
  }
  EXPECT_EQ(seen.size(), 12U);
  const std::size_t logged = optimizer.log().size();
  expect_refused([&] { optimizer.ask(); }, ErrorCode::exhausted, "ask");
  EXPECT_EQ(optimizer.log().size(), logged);
}

TEST_P(MethodOnSpaces, IsRebuiltFromItsLog) {
  Optimizer optimizer(recipes(), config(), 5);
  optimizer.queue(std::vector{1.0, std::nan(""), 8.0, 3.0, 40.0, 2.0});
  for (int i = 0; i < 9; ++i) {
    const Suggestion next = optimizer.ask();
    if (i % 4 == 2) {
      optimizer.tell_failed(next.trial);
    } else if (i % 4 == 3) {
      optimizer.abandon(next.trial);
    } else {
      optimizer.tell(next.trial, Measurement{.y = yield(next.x), .variance = 0.01 * (i + 1)});
    }
  }
  optimizer.tell(std::vector{0.0, 0.5, std::nan(""), 2.0, 60.0, 2.0}, 0.4);
  static_cast<void>(optimizer.ask());
  Optimizer again = Optimizer::replay(optimizer.space(), optimizer.config(), 5, optimizer.log());
  const Suggestion one = optimizer.ask();
  const Suggestion other = again.ask();
  EXPECT_EQ(key_of(one.x), key_of(other.x));
  EXPECT_EQ(one.prediction.has_value(), other.prediction.has_value());
  if (one.prediction) {
    EXPECT_EQ(one.prediction->mean, other.prediction->mean);
    EXPECT_EQ(one.succeeds, other.succeeds);
  }
}

TEST(Spaces, AutoFindsTheBestRecipe) {
  Optimizer optimizer(recipes(), method_config("auto"), 2);
  test::run(optimizer, 45, yield);
  const Trial& best = optimizer.recommendation().trial;
  EXPECT_EQ(optimizer.space().text(0, best.x[0]), "dry");
  EXPECT_EQ(best.x[2], 16.0);
  EXPECT_EQ(best.x[3], 4.0);
  EXPECT_NEAR(best.x[4], 50.0, 1.0);
}

TEST(Spaces, WhatIsPredictedIsWhatWillBeRun) {
  Optimizer optimizer(recipes(), short_config("auto"), 2);
  test::run(optimizer, 12, yield);
  const Suggestion next = optimizer.ask();
  Optimizer copy = Optimizer::replay(optimizer.space(), optimizer.config(), 2,
                                     std::span(optimizer.log()).first(24));
  const Prediction there = test::prediction_at(copy, next.x);
  EXPECT_NEAR(there.mean, next.prediction->mean, 1e-9);
}

TEST(Spaces, ContextIsKeptAndMustBeOfTheSpace) {
  Optimizer optimizer(recipes(), short_config("auto"), 2);
  for (int i = 0; i < 15; ++i) {
    const std::vector<Given> given = {{"recipe", i % 2 == 0 ? 0.0 : 1.0}, {"temperature", 33.0}};
    const Suggestion next = optimizer.ask(given);
    EXPECT_EQ(next.x[0], i % 2 == 0 ? 0.0 : 1.0);
    EXPECT_EQ(next.x[4], 33.0);
    optimizer.tell(next.trial, yield(next.x));
  }
  const auto ask = [&](Given given) {
    return [&optimizer, given] { optimizer.ask(std::vector{given}); };
  };
  expect_refused(ask({"temperature", 300.0}), ErrorCode::invalid_value, "given.temperature");
  expect_refused(ask({"temprature", 30.0}), ErrorCode::unknown_name, "parameter");
}

TEST(Spaces, ContextThatConstraintsExcludeIsRefused) {
  Optimizer optimizer(Space({.parameters = {{.name = "a"}, {.name = "b"}},
                             .constraints = {parse_constraint("a + b >= 1.5")}}),
                      short_config("auto"));
  EXPECT_EQ(optimizer.ask(std::vector{Given{"a", 0.7}}).x[0], 0.7);
  expect_refused(
      [&] {
        optimizer.ask(std::vector{Given{"a", 0.2}});
      },
      ErrorCode::invalid_value, "given");
}

TEST(Spaces, QueuedPointsComeFirstAndArePredicted) {
  Optimizer optimizer(recipes(), short_config("auto"), 2);
  const std::vector<double> first = {0.0, 0.25, std::nan(""), 4.0, 50.0, 2.0};
  optimizer.queue(first);
  EXPECT_EQ(key_of(optimizer.ask().x), key_of(first));
  optimizer.tell(0, yield(first));
  test::run(optimizer, 8, yield);
  const std::vector<double> second = {1.0, std::nan(""), 32.0, 4.0, 50.0, 2.0};
  optimizer.queue(second);
  const Suggestion next = optimizer.ask();
  EXPECT_EQ(key_of(next.x), key_of(second));
  EXPECT_TRUE(next.prediction);
  expect_refused(
      [&] {
        optimizer.queue(std::vector{1.0, 1.0, 99.0, 1.0, 50.0, 2.0});
      },
      ErrorCode::invalid_value, "x[2]");
}

TEST(Spaces, ConstraintsHoldForEveryProposal) {
  const Space space({.parameters = {{.name = "a"},
                                    {.name = "b"},
                                    {.name = "c"},
                                    {.name = "n", .kind = integer, .lower = 0.0, .upper = 5.0},
                                    {.name = "t", .lower = 0.0, .upper = 10.0}},
                     .mixtures = {{.parameters = {"a", "b", "c"}}},
                     .constraints = {parse_constraint("t <= 2 n"), parse_constraint("a >= 2 b")}});
  for (const char* const method : {"auto", "oscbo", "sobol"}) {
    Optimizer optimizer(space, short_config(method), 4);
    for (int i = 0; i < 20; ++i) {
      const std::vector<double> x = optimizer.ask().x;
      EXPECT_NEAR(x[0] + x[1] + x[2], 1.0, 1e-12);
      EXPECT_LE(x[4], 2.0 * x[3] + 1e-9);
      EXPECT_GE(x[0], 2.0 * x[1] - 1e-9);
      const double y = -std::pow(x[2] - 0.2, 2) - std::pow(x[4] - 9.0, 2) - x[3];
      optimizer.tell(optimizer.trials().size() - 1, y);
    }
  }
}

TEST(Spaces, PermutedCategoriesArePredictedAlike) {
  const auto space_with = [](std::vector<std::string> values) {
    return Space({.parameters = {{.name = "c", .kind = categorical, .values = std::move(values)},
                                 {.name = "t"}}});
  };
  const Space one = space_with({"x", "y", "z"});
  const Space other = space_with({"z", "x", "y"});
  Optimizer first(one, short_config("auto"));
  Optimizer second(other, short_config("auto"));
  for (int i = 0; i < 12; ++i) {
    const std::string name = one.text(0, i % 3);
    const double t = 0.08 * i;
    const double y = std::sin(3.0 * t) + (i % 3);
    first.tell(std::vector{one.value(0, name), t}, y);
    second.tell(std::vector{other.value(0, name), t}, y);
  }
  for (const char* const name : {"x", "y", "z"}) {
    for (const double t : {0.1, 0.5, 0.9}) {
      const Prediction a = test::prediction_at(first, {one.value(0, name), t});
      const Prediction b = test::prediction_at(second, {other.value(0, name), t});
      EXPECT_NEAR(a.mean, b.mean, 1e-9);
      EXPECT_NEAR(a.sd, b.sd, 1e-9);
    }
  }
}

TEST(Spaces, WideningKeepsWhatWasTold) {
  const auto range = [](double upper) {
    return Space({.parameters = {{.name = "t", .lower = 0.0, .upper = upper},
                                 {.name = "c", .kind = categorical, .values = {"x", "y"}}}});
  };
  Optimizer optimizer(range(1.0), method_config("auto"), 1);
  const auto f = [](const std::vector<double>& x) { return -std::pow(x[0] - 3.0, 2) - x[1]; };
  test::run(optimizer, 14, f);
  EXPECT_NEAR(optimizer.recommendation().trial.x[0], 1.0, 1e-6);
  optimizer.widen(range(5.0));
  EXPECT_EQ(optimizer.trials().size(), 14U);
  test::run(optimizer, 10, f);
  EXPECT_NEAR(optimizer.recommendation().trial.x[0], 3.0, 1e-2);
  Optimizer again = Optimizer::replay(range(1.0), optimizer.config(), 1, optimizer.log());
  EXPECT_EQ(again.ask().x, optimizer.ask().x);
  expect_refused([&] { optimizer.widen(range(4.0)); }, ErrorCode::invalid_value, "parameters.t");
}

TEST(Spaces, TheoryAndNetworkKernelAreForBoxes) {
  Config theory_width = short_config();
  theory_width.edit<online::WidthOptions>().kind = online::WidthOptions::Kind::theory;
  expect_refused([&] { Optimizer(recipes(), theory_width); }, ErrorCode::invalid_value, "width");
  Config network = method_config("gp-ucb-mll");
  network.edit<gp::KernelOptions>().family = gp::KernelOptions::Family::network;
  if (network.learner == "mll") network.learner = "fixed";
  expect_refused([&] { Optimizer(recipes(), network); }, ErrorCode::invalid_value, "kernel");
}

}  // namespace
}  // namespace oscbo
