#include "oscbo/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <gtest/gtest.h>

#include "numeric/random_stream.hpp"
#include "optimizer/optimizer_test_support.hpp"

namespace oscbo {
namespace {

using test::kInfinity;
using test::kNan;
constexpr double kLargest = std::numeric_limits<double>::max();

/// with_residuals returns forecasts N(3, 2^2) whose observations lie `z` sds from the mean.
std::vector<Forecast> with_residuals(const std::vector<double>& z) {
  std::vector<Forecast> forecasts;
  for (const double value : z) {
    forecasts.push_back({.mean = 3.0, .observation_sd = 2.0, .width = 5.0, .y = 3.0 + 2.0 * value});
  }
  return forecasts;
}

TEST(Calibration, LevelsAreThoseOfTheirIntervals) {
  // The observations lie just inside and just outside each central interval.
  const boost::math::normal standard;
  for (std::size_t i = 0; i < kCoverageLevels.size(); ++i) {
    const double end = boost::math::quantile(standard, 0.5 + 0.5 * kCoverageLevels[i]);
    for (const double sign : {-1.0, 1.0}) {
      EXPECT_EQ(calibration(with_residuals({sign * end * 0.999999})).coverage[i].measured, 1.0);
      EXPECT_EQ(calibration(with_residuals({sign * end * 1.000001})).coverage[i].measured, 0.0);
    }
  }
  EXPECT_NEAR(kCoverageLevels[2], std::erf(1.0), 1e-15);
}

TEST(Calibration, OfAFewForecastsByHand) {
  std::vector<Forecast> forecasts = with_residuals({0.0, -1.0, 1.5, 1.8, -2.5});
  forecasts[0].width = 10.0;
  const CalibrationReport report = calibration(forecasts);
  EXPECT_EQ(report.predictions, 5);
  const std::array<double, 5> measured = {0.2, 0.4, 0.4, 0.6, 0.8};
  for (std::size_t i = 0; i < measured.size(); ++i) {
    EXPECT_EQ(report.coverage[i].nominal, kCoverageLevels[i]);
    EXPECT_DOUBLE_EQ(report.coverage[i].measured, measured[i]);
  }
  // The Wilson interval for 2 of 5 is (0.4 + z2/10 +- z sqrt(0.048 + z2/100)) / (1 + z2/5).
  EXPECT_NEAR(report.coverage[1].lower, 0.117621, 1e-6);
  EXPECT_NEAR(report.coverage[1].upper, 0.769276, 1e-6);
  EXPECT_DOUBLE_EQ(report.mean_width, 6.0);
  // The first interval reaches 2.5 sds to either side, the others 1.25 sds. They contain 0 and -1.
  EXPECT_NEAR(report.shown.nominal, (0.987580669 + 4 * 0.788700453) / 5.0, 1e-9);
  EXPECT_DOUBLE_EQ(report.shown.measured, 0.4);
  EXPECT_EQ(report.shown.lower, report.coverage[1].lower);
  EXPECT_EQ(report.shown.upper, report.coverage[1].upper);

  // These values are from a table of the normal distribution.
  const std::array<double, 5> pit = {0.5, 0.158655254, 0.933192799, 0.964069681, 0.006209665};
  ASSERT_EQ(report.pit.size(), pit.size());
  for (std::size_t i = 0; i < pit.size(); ++i) EXPECT_NEAR(report.pit[i], pit[i], 1e-9);
  // Sorted: 0.0062 0.1587 0.5 0.9332 0.9641. The step function is 3/5 just below 0.9332.
  EXPECT_NEAR(report.pit_distance, 0.933192799 - 0.6, 1e-9);

  // Squared residuals sum to 0 + 1 + 2.25 + 3.24 + 6.25 = 12.74.
  EXPECT_NEAR(report.log_score,
              -0.5 * std::log(2.0 * std::numbers::pi) - std::log(2.0) - 0.5 * 12.74 / 5.0, 1e-12);
}

TEST(Calibration, DistanceIsTakenOnBothSidesOfEachStep) {
  // For one value u, the step function is 0 below u and 1 from u upwards.
  EXPECT_NEAR(calibration(with_residuals({-1.0})).pit_distance, 1.0 - 0.158655254, 1e-9);
  EXPECT_NEAR(calibration(with_residuals({1.0})).pit_distance, 1.0 - 0.158655254, 1e-9);
  // Equal values make a single step.
  EXPECT_NEAR(calibration(with_residuals({0.0, 0.0, 0.0})).pit_distance, 0.5, 1e-12);
}

TEST(Calibration, CrpsIsTheIntegralOfItsDefinition) {
  using Quadrature = boost::math::quadrature::gauss_kronrod<double, 61>;
  for (const double mean : {-2.0, 0.0, 7.0}) {
    for (const double sd : {0.01, 1.0, 30.0}) {
      const boost::math::normal law(mean, sd);
      for (const double z : {-5.0, -1.0, 0.0, 0.3, 2.0, 6.0}) {
        const double y = mean + z * sd;
        // Beyond 12 sds from the mean and from y, the integrand is below 1e-60.
        const double low = std::min(mean, y) - 12.0 * sd;
        const double high = std::max(mean, y) + 12.0 * sd;
        const auto square = [](double value) { return value * value; };
        const double expected =
            Quadrature::integrate([&](double x) { return square(cdf(law, x)); }, low, y) +
            Quadrature::integrate([&](double x) { return square(cdf(complement(law, x))); }, y,
                                  high);
        const std::vector<Forecast> one = {{.mean = mean, .observation_sd = sd, .y = y}};
        EXPECT_NEAR(calibration(one).crps, expected, 1e-9 * expected) << sd << ' ' << z;
      }
    }
  }
}

TEST(Calibration, OfNothingIsUndefined) {
  const CalibrationReport report = calibration(std::span<const Forecast>{});
  EXPECT_EQ(report.predictions, 0);
  EXPECT_TRUE(report.pit.empty());
  for (std::size_t i = 0; i < report.coverage.size(); ++i) {
    EXPECT_EQ(report.coverage[i].nominal, kCoverageLevels[i]);
    EXPECT_TRUE(std::isnan(report.coverage[i].measured));
    EXPECT_EQ(report.coverage[i].lower, 0.0);
    EXPECT_EQ(report.coverage[i].upper, 1.0);
  }
  for (const double figure :
       {report.pit_distance, report.mean_width, report.log_score, report.crps}) {
    EXPECT_TRUE(std::isnan(figure));
  }
}

TEST(Calibration, OfExtremeValuesIsANumber) {
  for (const double y : {-kLargest, -1e200, 0.0, 1e-320, 1e308}) {
    for (const double mean : {-kInfinity, -1e308, 0.0, 1e-320, kInfinity}) {
      for (const double sd : {0.0, 1e-320, 1e-200, 1.0, kLargest, kInfinity}) {
        const std::vector<Forecast> one = {{.mean = mean, .observation_sd = sd, .y = y}};
        const CalibrationReport report = calibration(one);
        EXPECT_GE(report.pit.front(), 0.0);
        EXPECT_LE(report.pit.front(), 1.0);
        EXPECT_TRUE(std::isfinite(report.log_score)) << y << ' ' << mean << ' ' << sd;
        EXPECT_GE(report.crps, 0.0) << y << ' ' << mean << ' ' << sd;
      }
    }
  }
  const CalibrationReport far = calibration(with_residuals({-1e6, 1e6}));
  EXPECT_EQ(far.pit, (std::vector<double>{0.0, 1.0}));
  EXPECT_NEAR(far.log_score, -0.5e12, 10.0);
  // Far from the mean, the score is the distance, here 2e6, minus sd / sqrt(pi).
  EXPECT_NEAR(far.crps, 2e6 - 2.0 / std::sqrt(std::numbers::pi), 1e-6);
}

TEST(Calibration, RefusesWhatIsNoForecast) {
  const Forecast good{.mean = 0.0, .observation_sd = 1.0, .width = 1.0, .y = 0.0};
  for (double Forecast::*field :
       {&Forecast::mean, &Forecast::observation_sd, &Forecast::width, &Forecast::y}) {
    std::vector<Forecast> forecasts(3, good);
    forecasts[1].*field = kNan;
    test::expect_refused([&] { static_cast<void>(calibration(forecasts)); },
                         ErrorCode::invalid_value, "forecasts[1]");
  }
  std::vector<Forecast> forecasts(2, good);
  forecasts[0].observation_sd = -1.0;
  test::expect_refused([&] { static_cast<void>(calibration(forecasts)); }, ErrorCode::invalid_value,
                       "forecasts[0]");
}

/// simulated draws observations from N(mean, (stated sd * inflation)^2) with changing mean and sd.
CalibrationReport simulated(std::uint64_t seed, int count, double inflation) {
  numeric::RandomStream stream(seed, numeric::Purpose::observation_noise);
  std::vector<Forecast> forecasts;
  for (int t = 0; t < count; ++t) {
    const double mean = 10.0 * std::sin(t);
    const double sd = 1.0 + 100.0 / (1.0 + t);
    forecasts.push_back(
        {.mean = mean, .observation_sd = sd, .y = mean + sd * inflation * stream.normal()});
  }
  return calibration(forecasts);
}

// A calibrated sequence breaks these bounds with probability below 1e-5. They are 4.5 binomial sds,
// and P(sqrt(n) distance > 2.5) = 2 exp(-2 * 2.5^2).
TEST(Calibration, TellsTheTruthFromOverconfidence) {
  constexpr int kCount = 2000;
  const double root = std::sqrt(kCount);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const CalibrationReport honest = simulated(seed, kCount, 1.0);
    const CalibrationReport overconfident = simulated(seed, kCount, 2.0);
    for (std::size_t i = 0; i < kCoverageLevels.size(); ++i) {
      const double level = kCoverageLevels[i];
      const double bound = 4.5 * std::sqrt(level * (1.0 - level)) / root;
      EXPECT_NEAR(honest.coverage[i].measured, level, bound);
      EXPECT_LT(overconfident.coverage[i].measured, level - bound);
      EXPECT_LT(overconfident.coverage[i].upper, level);
    }
    EXPECT_LT(root * honest.pit_distance, 2.5);
    EXPECT_GT(root * overconfident.pit_distance, 2.5);
  }
}

// The scores are proper: the true sd scores better than any other stated sd.
TEST(Calibration, ScoresPreferTheTrueSd) {
  numeric::RandomStream stream(1, numeric::Purpose::observation_noise);
  std::vector<Forecast> forecasts(5000, Forecast{.observation_sd = 1.0});
  for (Forecast& forecast : forecasts) forecast.y = stream.normal();
  const CalibrationReport truth = calibration(forecasts);
  for (const double sd : {0.5, 0.8, 1.25, 2.0}) {
    for (Forecast& forecast : forecasts) forecast.observation_sd = sd;
    const CalibrationReport other = calibration(forecasts);
    EXPECT_GT(truth.log_score, other.log_score);
    EXPECT_LT(truth.crps, other.crps);
  }
}

TEST(Calibration, OfARunCountsWhatWasPredictedAndObserved) {
  Optimizer optimizer = test::after_rounds(20);  // 4 initial points, 16 predictions
  optimizer.tell(std::vector<double>{1.0, 2.0}, 0.5);
  static_cast<void>(optimizer.ask());  // pending
  const CalibrationReport report = calibration(optimizer.trials());
  ASSERT_EQ(report.predictions, 16);
  ASSERT_EQ(report.pit.size(), 16U);
  int covered = 0;
  double widths = 0.0;
  std::size_t next = 0;
  for (const Trial& trial : optimizer.trials()) {
    if (!trial.feedback()) continue;
    covered += trial.feedback()->covered ? 1 : 0;
    widths += trial.prediction()->width;
    const boost::math::normal law(trial.prediction()->mean, trial.prediction()->observation_sd);
    EXPECT_NEAR(report.pit[next++], boost::math::cdf(law, *trial.y()), 1e-12);
  }
  EXPECT_DOUBLE_EQ(report.coverage[2].measured, covered / 16.0) << "the interval shown at beta = 2";
  EXPECT_NEAR(report.mean_width, widths / 16.0, 1e-12);
}

}  // namespace
}  // namespace oscbo
