// Data that break careless implementations. Every suggestion must be finite and inside the box.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "gp/kernel_options.hpp"
#include "learners/learner_options.hpp"
#include "numeric/random_stream.hpp"
#include "online/width_options.hpp"
#include "optimizer/data_options.hpp"
#include "optimizer/optimizer_test_support.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo {
namespace {

using numeric::Purpose;
using numeric::RandomStream;
using test::Composition;
using test::hill;
using test::kSquare;
using test::short_config;

/// with_solvers_and_ard returns every composition with both solvers, isotropic and, if accepted,
/// ARD.
std::vector<Composition> with_solvers_and_ard() {
  std::vector<Composition> list;
  for (Composition composition : test::compositions()) {
    const std::string name = composition.name;
    for (const learners::LearnerOptions::Solver solver :
         {learners::LearnerOptions::Solver::adam, learners::LearnerOptions::Solver::exact}) {
      for (const bool ard : {false, true}) {
        composition.name =
            name + (solver == learners::LearnerOptions::Solver::exact ? " exact" : " adam") +
            (ard ? " ard" : " isotropic");
        composition.config.edit<learners::LearnerOptions>().solver = solver;
        composition.config.edit<gp::KernelOptions>().ard = ard;
        if (test::is_accepted(composition.config)) list.push_back(composition);
      }
    }
  }
  return list;
}

class HardData : public testing::TestWithParam<Composition> {
 protected:
  static const Config& config() { return GetParam().config; }
};
INSTANTIATE_TEST_SUITE_P(EveryComposition, HardData, testing::ValuesIn(with_solvers_and_ard()),
                         test::test_name);

void expect_finite(const Suggestion& next, const std::vector<Bounds>& bounds) {
  EXPECT_NO_THROW(Space::of_box(bounds).check(next.x));
  if (!next.prediction) return;
  EXPECT_TRUE(std::isfinite(next.prediction->mean));
  EXPECT_TRUE(std::isfinite(next.prediction->sd));
  EXPECT_TRUE(std::isfinite(next.prediction->width));
  EXPECT_TRUE(std::isfinite(next.prediction->acquisition));
  for (const double theta : next.prediction->lengthscales) EXPECT_TRUE(std::isfinite(theta));
}

/// Tells the points first, then asks and tells a few rounds with values of `f`.
template <class Function>
void expect_usable(const Config& config, const std::vector<Bounds>& bounds,
                   const std::vector<std::vector<double>>& points, const Function& f) {
  Optimizer optimizer(bounds, config, 1);
  for (const std::vector<double>& x : points) optimizer.tell(x, f(x));
  for (int i = 0; i < 10; ++i) {
    const Suggestion next = optimizer.ask();
    expect_finite(next, bounds);
    optimizer.tell(next.trial, f(next.x));
    const std::optional<Feedback>& feedback = optimizer.trials()[next.trial].feedback();
    if (!feedback) continue;
    EXPECT_TRUE(std::isfinite(feedback->sharpness_loss));
    EXPECT_TRUE(std::isfinite(feedback->calibration_loss));
    EXPECT_TRUE(std::isfinite(feedback->violation));
  }
}

TEST_P(HardData, OnePoint) {
  Config small = config();
  small.initial_points = 1;
  expect_usable(small, kSquare, {{1.0, 2.0}}, hill);
}

TEST_P(HardData, TwoEqualPoints) {
  Config small = config();
  small.initial_points = 2;
  expect_usable(small, kSquare, {{1.0, 2.0}, {1.0, 2.0}}, hill);
}

TEST_P(HardData, ContradictingValuesAtOnePoint) {
  double value = 0.0;
  expect_usable(config(), kSquare, std::vector<std::vector<double>>(6, {1.0, 2.0}),
                [&](const std::vector<double>& /*x*/) { return value += 1.0; });
}

TEST_P(HardData, ConstantValues) {
  for (const double y : {0.0, 3.0, -1e300}) {
    expect_usable(config(), kSquare, {}, [&](const std::vector<double>& /*x*/) { return y; });
  }
}

TEST_P(HardData, AHillWithAFlatTop) {
  expect_usable(config(), kSquare, {},
                [](const std::vector<double>& x) { return std::min(0.7, hill(x)); });
}

TEST_P(HardData, ValuesAtTheEndsOfTheRangeOfDouble) {
  for (const double unit : {1e300, 1e-300, 5e307, 1e-320}) {
    expect_usable(config(), kSquare, {},
                  [&](const std::vector<double>& x) { return unit * hill(x); });
  }
}

TEST_P(HardData, ValuesOfAllMagnitudesAtOnce) {
  const std::vector<double> magnitudes = {1e-300, 1.0, -1e300, 1e10, -1e-10, 1e300, 0.0};
  for (const DataOptions::LossStatistics statistics :
       {DataOptions::LossStatistics::before, DataOptions::LossStatistics::after}) {
    Config varied = config();
    varied.edit<DataOptions>().loss_statistics = statistics;
    if (!test::is_accepted(varied)) continue;  // auto requires DataOptions::LossStatistics::before
    std::size_t i = 0;
    expect_usable(varied, kSquare, {}, [&](const std::vector<double>& x) {
      return magnitudes[i++ % magnitudes.size()] * hill(x);
    });
  }
}

TEST_P(HardData, TinyValuesThenAHugeOne) {
  for (const DataOptions::LossStatistics statistics :
       {DataOptions::LossStatistics::before, DataOptions::LossStatistics::after}) {
    Config varied = config();
    varied.edit<DataOptions>().loss_statistics = statistics;
    if (!test::is_accepted(varied)) continue;  // auto requires DataOptions::LossStatistics::before
    int told = 0;
    expect_usable(varied, kSquare, {}, [&](const std::vector<double>& x) {
      return (++told == 6 ? 1e300 : 1e-300) * (1.0 + hill(x));
    });
  }
}

TEST_P(HardData, LargestFiniteValues) {
  const double largest = std::numeric_limits<double>::max();
  double sign = 1.0;
  Optimizer optimizer(kSquare, config(), 1);
  for (int i = 0; i < 10; ++i) {
    const Suggestion next = optimizer.ask();
    expect_finite(next, kSquare);
    optimizer.tell(next.trial, (sign = -sign) * largest);
    const Feedback feedback = optimizer.trials()[next.trial].feedback().value_or(Feedback{});
    EXPECT_TRUE(std::isfinite(feedback.violation));
  }
}

TEST_P(HardData, ValuesFarFromThoseThatWereStandardised) {
  for (const DataOptions::Standardise rule :
       {DataOptions::Standardise::initial_only, DataOptions::Standardise::none}) {
    Config fixed = config();
    fixed.edit<DataOptions>().standardise = rule;
    if (!test::is_accepted(fixed)) continue;  // the width of the theory is in the units of y
    for (const double before : {1.0, 1e-10}) {
      for (const double after : {1e30, 1e200, 1e300}) {
        int told = 0;
        expect_usable(fixed, kSquare, {}, [&](const std::vector<double>& x) {
          return (++told > 5 ? after : before) * hill(x);
        });
      }
    }
  }
}

TEST_P(HardData, CornersOfTheBox) {
  expect_usable(config(), kSquare, {{-5.0, 0.0}, {-5.0, 15.0}, {10.0, 0.0}, {10.0, 15.0}}, hill);
}

TEST_P(HardData, AnOptimumInACorner) {
  expect_usable(config(), kSquare, {},
                [](const std::vector<double>& x) { return 100.0 * x[0] + x[1]; });
}

TEST_P(HardData, OneDimension) { expect_usable(config(), {{0.0, 1.0}}, {}, hill); }

TEST_P(HardData, FiftyDimensions) {
  expect_usable(config(), std::vector<Bounds>(50, {.lower = -1.0, .upper = 3.0}), {}, hill);
}

TEST_P(HardData, BoxesOfExtremeSize) {
  const double largest = std::numeric_limits<double>::max();
  const std::vector<Bounds> bounds = {{.lower = -largest, .upper = largest},
                                      {.lower = 1e-300, .upper = 2e-300},
                                      {.lower = 0.0, .upper = 1.0}};
  expect_usable(config(), bounds, {},
                [](const std::vector<double>& x) { return std::sin(9.0 * x[2]); });
}

TEST_P(HardData, PointsTooCloseToTellApart) {
  for (const DataOptions::Inputs inputs :
       {DataOptions::Inputs::bounds, DataOptions::Inputs::data}) {
    for (const double gap : {1e-9, 1e-17, 1e-160, 1e-310}) {
      Config varied = config();
      varied.edit<DataOptions>().inputs = inputs;
      // The width of the theory requires the bounds.
      if (inputs == DataOptions::Inputs::data)
        varied.edit<online::WidthOptions>().kind = online::WidthOptions::Kind::constant;
      if (!test::is_accepted(varied)) continue;  // auto requires the bounds too
      expect_usable(varied, {{0.0, 1.0}}, {{0.0}, {gap}, {2.0 * gap}, {3.0 * gap}}, hill);
    }
  }
}

// --- a kernel matrix that is singular to working precision ---------------------------------------

/// smooth returns the configuration with a smooth kernel. The points of `cluster` lie close
/// together.
Config smooth(Config config, double noise_variance) {
  config.edit<gp::KernelOptions>().family = gp::KernelOptions::Family::rbf;
  config.noise_variance = noise_variance;
  return config;
}

std::vector<std::vector<double>> cluster() {
  RandomStream stream(3, Purpose::initial_design);
  std::vector<std::vector<double>> points;
  for (int i = 0; i < 30; ++i) {
    points.push_back({1.0 + 1e-3 * stream.uniform(), 2.0 + 1e-3 * stream.uniform()});
  }
  return points;
}

TEST_P(HardData, ANearlySingularKernelMatrix) {
  expect_usable(smooth(config(), 1e-12), kSquare, cluster(), hill);
}

TEST(Jitter, IsShownWhereItWasNeeded) {
  Optimizer optimizer(kSquare, smooth(short_config(), 1e-16));
  for (const std::vector<double>& x : cluster()) optimizer.tell(x, hill(x));
  EXPECT_GT(optimizer.ask().prediction->jitter, 0.0);
}

TEST(Jitter, IsZeroWhereNoneIsNeeded) {
  const Optimizer optimizer = test::after_rounds(15);
  for (const Trial& trial : optimizer.trials()) {
    EXPECT_EQ(trial.prediction().value_or(Prediction{}).jitter, 0.0);
  }
}

TEST(ManyCopiesOfOnePoint, GiveAFiniteSuggestion) {
  for (const double noise : {0.01, 1e-12}) {
    Config config = short_config();
    config.edit<learners::LearnerOptions>().adam_steps = 2;
    config.noise_variance = noise;
    Optimizer optimizer(kSquare, config);
    for (int i = 0; i < 1000; ++i)
      optimizer.tell(std::vector{1.0, 2.0}, hill(std::vector{1.0, 2.0}));
    const Suggestion next = optimizer.ask();
    expect_finite(next, kSquare);
    EXPECT_NE(next.x, (std::vector{1.0, 2.0}));
  }
}

}  // namespace
}  // namespace oscbo
