// Points that the user chose completely or in part.
#include <cmath>

#include <gtest/gtest.h>

#include "oscbo/optimizer.hpp"

namespace oscbo {
namespace {

const std::vector<Bounds> kPlane = {{-5.0, 10.0}, {0.0, 15.0}};

double two_hills(const std::vector<double>& x) {
  const auto hill_at = [&](double a, double b) {
    return std::exp(-(std::pow(x[0] - a, 2) + std::pow(x[1] - b, 2)) / 8.0);
  };
  return hill_at(0.0, 5.0) + 0.7 * hill_at(7.0, 10.0);
}

Optimizer climbed_for(int rounds) {
  Optimizer optimizer(kPlane, method_config("auto"), 3);
  for (int i = 0; i < rounds; ++i) {
    const Suggestion next = optimizer.ask();
    optimizer.tell(next.trial, two_hills(next.x));
  }
  return optimizer;
}

// The models of some rounds use only a few observations and know nothing about most points.
TEST(ChosenPoints, ArePredictedAsTheModelOfEverythingDoes) {
  const std::vector<std::vector<double>> points = {{-4.0, 14.0}, {7.5, 9.5}, {0.5, 4.5}};
  Optimizer optimizer = climbed_for(20);
  for (int round = 0; round < 25; ++round) {
    for (const std::vector<double>& x : points) {
      Optimizer asked = optimizer;
      asked.queue(x);
      const Prediction expected = Optimizer(asked).predict({&x, 1}).front();
      const Prediction shown = asked.ask().prediction.value();
      EXPECT_DOUBLE_EQ(shown.mean, expected.mean) << "round " << round;
      EXPECT_DOUBLE_EQ(shown.width, expected.width) << "round " << round;
    }
    const Suggestion next = optimizer.ask();
    optimizer.tell(next.trial, two_hills(next.x));
  }
}

TEST(ChosenPoints, AreSearchedForByTheModelOfEverythingWhereSomeIsGiven) {
  Optimizer optimizer = climbed_for(20);
  const std::vector<Given> given = {{.parameter = "x1", .value = 7.0}};
  for (int round = 0; round < 12; ++round) {
    Optimizer asked = optimizer;
    const Suggestion chosen = asked.ask(given);
    EXPECT_EQ(chosen.x[0], 7.0);
    const Prediction expected = Optimizer(optimizer).predict({&chosen.x, 1}).front();
    EXPECT_DOUBLE_EQ(chosen.prediction->mean, expected.mean) << "round " << round;
    const Suggestion next = optimizer.ask();
    optimizer.tell(next.trial, two_hills(next.x));
  }
}

TEST(ChosenPoints, AreRepeatedFromALog) {
  Optimizer optimizer = climbed_for(25);
  const std::vector<Given> given = {{.parameter = "x2", .value = 1.0}};
  optimizer.queue(std::vector{-4.0, 14.0});
  for (int i = 0; i < 6; ++i) {
    const Suggestion next = optimizer.ask(i % 2 == 0 ? given : std::vector<Given>());
    optimizer.tell(next.trial, two_hills(next.x));
  }
  Optimizer again = Optimizer::replay(optimizer.space(), optimizer.config(), 3, optimizer.log());
  for (std::size_t i = 0; i < optimizer.trials().size(); ++i) {
    const auto& expected = optimizer.trials()[i].prediction();
    const auto& repeated = again.trials()[i].prediction();
    ASSERT_EQ(expected.has_value(), repeated.has_value()) << i;
    if (expected) {
      EXPECT_EQ(expected->mean, repeated->mean) << i;
    }
  }
  EXPECT_EQ(again.ask().x, optimizer.ask().x);
}

TEST(ChosenPoints, OfTheQueueWaitForThoseWhoGiveNothing) {
  Optimizer optimizer(kPlane, method_config("auto"), 3);
  optimizer.queue(std::vector{1.0, 2.0});
  EXPECT_EQ(optimizer.ask(std::vector<Given>{{.parameter = "x1", .value = 7.0}}).x[0], 7.0);
  EXPECT_EQ(optimizer.ask().x, (std::vector{1.0, 2.0}));
}

// A chosen point without any promise says nothing about the hill that a search would have climbed.
TEST(ChosenPoints, CloseNoHill) {
  Optimizer optimizer = climbed_for(14);
  Optimizer disturbed = optimizer;
  for (int i = 0; i < 4; ++i) {
    disturbed.queue(std::vector{-4.9 + 0.01 * i, 14.9});
    disturbed.tell(disturbed.ask().trial, 0.0);
  }
  for (int i = 0; i < 12; ++i) {
    const Suggestion next = disturbed.ask();
    disturbed.tell(next.trial, two_hills(next.x));
  }
  EXPECT_GT(*disturbed.recommendation().trial.y(), 0.999);
}

TEST(KnownNoise, MayBeOfAnySize) {
  Optimizer optimizer(kPlane, method_config("auto"), 3);
  for (int i = 0; i < 14; ++i) {
    const Suggestion next = optimizer.ask();
    optimizer.tell(next.trial,
                   {.y = 1e-3 * two_hills(next.x), .variance = i % 3 == 0 ? 1e306 : 0.0});
  }
  EXPECT_TRUE(std::isfinite(optimizer.ask().prediction->mean));
}

}  // namespace
}  // namespace oscbo
