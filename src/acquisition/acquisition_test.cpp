#include "acquisition/acquisition.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <gtest/gtest.h>

#include "numeric/random_stream.hpp"
#include "oscbo/error.hpp"

namespace oscbo::acquisition {
namespace {

using prediction::Moments;

/// Moments whose mean is u sd above `best`.
Moments moments_at(double u, double best, double variance) {
  return {.mean = best + u * std::sqrt(variance), .variance = variance};
}

/// Calls check(best, moments) for random moments with u in [low, high].
template <class Check>
void for_random_moments(double low, double high, Check&& check) {
  numeric::RandomStream stream(1, numeric::Purpose::raw_samples);
  for (int i = 0; i < 200; ++i) {
    const double u = low + (high - low) * stream.uniform();
    const double best = stream.normal();
    const double variance = std::pow(10.0, -3.0 + 3.0 * stream.uniform());
    SCOPED_TRACE(testing::Message() << "u = " << u << ", best " << best << ", var " << variance);
    check(best, moments_at(u, best, variance));
  }
}

/// Compares the slopes with five-point differences of the value.
void expect_slopes(const Acquisition& acquisition, const Moments& moments) {
  const auto difference = [&](double step, auto&& shifted) {
    const auto value = [&](double steps) {
      return value_at(acquisition, shifted(steps * step)).value;
    };
    return (8.0 * (value(1) - value(-1)) - (value(2) - value(-2))) / (12.0 * step);
  };
  const AcquisitionValue a = value_at(acquisition, moments);
  // The value has a relative error of 1e-15, so a difference quotient with step 1e-3 has one of
  // 1e-12.
  const double rounding = 1e-11 * std::max(1.0, std::abs(a.value));
  const double mean_step = 1e-3 * std::sqrt(moments.variance);
  const double by_mean = difference(mean_step, [&](double shift) {
    return Moments{.mean = moments.mean + shift, .variance = moments.variance};
  });
  EXPECT_NEAR(a.mean_slope, by_mean,
              1e-8 * std::abs(by_mean) + rounding / std::sqrt(moments.variance));
  const double variance_step = 1e-3 * moments.variance;
  const double by_variance = difference(variance_step, [&](double shift) {
    return Moments{.mean = moments.mean, .variance = moments.variance + shift};
  });
  EXPECT_NEAR(a.variance_slope, by_variance,
              1e-8 * std::abs(by_variance) + rounding / moments.variance);
}

/// The integral of weight(f) over f > best under the Gaussian distribution with these moments.
template <class Weight>
double integral_above(double best, const Moments& moments, Weight&& weight) {
  const double sd = std::sqrt(moments.variance);
  const auto integrand = [&](double f) {
    const double z = (f - moments.mean) / sd;
    return weight(f) * std::exp(-0.5 * z * z) / (sd * std::sqrt(2.0 * std::numbers::pi));
  };
  const double end = std::max(best, moments.mean) + 12.0 * sd;
  return boost::math::quadrature::gauss_kronrod<double, 61>::integrate(integrand, best, end, 12,
                                                                       1e-13);
}

TEST(UpperConfidenceBound, AddsTheMultipleOfTheStandardDeviation) {
  const UpperConfidenceBound ucb{.multiplier = std::sqrt(2.0)};
  const AcquisitionValue a = ucb.at({.mean = 0.3, .variance = 0.25});
  EXPECT_DOUBLE_EQ(a.value, 0.3 + std::sqrt(2.0) * 0.5);
  EXPECT_EQ(a.mean_slope, 1.0);
  const UpperConfidenceBound below{.multiplier = -0.5};
  EXPECT_DOUBLE_EQ(below.at({.mean = 0.3, .variance = 0.25}).value, 0.05);
}

TEST(UpperConfidenceBound, HasTheRightSlopes) {
  for_random_moments(-3.0, 3.0, [](double, const Moments& moments) {
    expect_slopes(UpperConfidenceBound{.multiplier = 1.7}, moments);
    expect_slopes(UpperConfidenceBound{.multiplier = -0.4}, moments);
  });
}

TEST(ExpectedImprovement, IsTheIntegralOfTheImprovement) {
  for_random_moments(-8.0, 8.0, [](double best, const Moments& moments) {
    const double expected = integral_above(best, moments, [best](double f) { return f - best; });
    EXPECT_NEAR(ExpectedImprovement{best}.at(moments).value, expected, 1e-11 * expected);
  });
}

TEST(ExpectedImprovement, HasTheRightSlopes) {
  for_random_moments(-6.0, 6.0, [](double best, const Moments& moments) {
    expect_slopes(ExpectedImprovement{best}, moments);
  });
}

TEST(ProbabilityOfImprovement, IsTheIntegralOfTheDensity) {
  for_random_moments(-8.0, 8.0, [](double best, const Moments& moments) {
    const double expected = integral_above(best, moments, [](double) { return 1.0; });
    EXPECT_NEAR(ProbabilityOfImprovement{best}.at(moments).value, expected, 1e-11 * expected);
  });
}

TEST(ProbabilityOfImprovement, HasTheRightSlopes) {
  for_random_moments(-6.0, 6.0, [](double best, const Moments& moments) {
    expect_slopes(ProbabilityOfImprovement{best}, moments);
  });
}

TEST(LogExpectedImprovement, IsTheLogarithmIfTheImprovementIsRepresentable) {
  for_random_moments(-37.0, 30.0, [](double best, const Moments& moments) {
    const double improvement = ExpectedImprovement{best}.at(moments).value;
    ASSERT_GT(improvement, 0.0);
    const double logarithm = LogExpectedImprovement{best}.at(moments).value;
    // exp turns an absolute error of the logarithm into a relative error.
    EXPECT_NEAR(std::exp(logarithm), improvement,
                1e-15 * std::max(10.0, std::abs(logarithm)) * improvement);
  });
}

TEST(LogExpectedImprovement, HasTheRightSlopes) {
  for_random_moments(-60.0, 10.0, [](double best, const Moments& moments) {
    expect_slopes(LogExpectedImprovement{best}, moments);
  });
}

TEST(LogExpectedImprovement, HasTheRightSlopesWhereTheImprovementUnderflows) {
  for (const double u : {-40.0, -1e3, -1e5}) {
    SCOPED_TRACE(u);
    expect_slopes(LogExpectedImprovement{.best = 0.5}, moments_at(u, 0.5, 0.04));
  }
  // At u = -40 and sd = 1, the mean slope is s = 40 + 2/40 - 6/40^3 + 42/40^5, and the variance
  // slope is (1 + 40 s) / 2.
  const AcquisitionValue a = LogExpectedImprovement{.best = 0.0}.at({.mean = -40.0, .variance = 1});
  EXPECT_NEAR(a.value, -808.29856835661996, 1e-10);
  EXPECT_NEAR(a.mean_slope, 40.0 + 2.0 / 40.0 - 6.0 / 64e3 + 42.0 / 1024e5, 1e-8);
  EXPECT_NEAR(a.variance_slope, 0.5 * (1.0 + 40.0 * a.mean_slope), 1e-10);
}

TEST(Improvement, OfAnAlmostCertainPointDependsOnItsMeanOnly) {
  constexpr double kBest = 0.25;
  const Moments above{.mean = 0.75, .variance = prediction::kMinimumVariance};
  EXPECT_DOUBLE_EQ(ExpectedImprovement{kBest}.at(above).value, 0.5);
  EXPECT_DOUBLE_EQ(ExpectedImprovement{kBest}.at(above).mean_slope, 1.0);
  EXPECT_EQ(ExpectedImprovement{kBest}.at(above).variance_slope, 0.0);
  EXPECT_DOUBLE_EQ(LogExpectedImprovement{kBest}.at(above).value, std::log(0.5));
  EXPECT_DOUBLE_EQ(LogExpectedImprovement{kBest}.at(above).mean_slope, 2.0);
  EXPECT_EQ(LogExpectedImprovement{kBest}.at(above).variance_slope, 0.0);
  EXPECT_EQ(ProbabilityOfImprovement{kBest}.at(above).value, 1.0);
  EXPECT_EQ(ProbabilityOfImprovement{kBest}.at(above).mean_slope, 0.0);

  const Moments below{.mean = -0.25, .variance = prediction::kMinimumVariance};
  EXPECT_EQ(ExpectedImprovement{kBest}.at(below).value, 0.0);
  EXPECT_EQ(ProbabilityOfImprovement{kBest}.at(below).value, 0.0);
  // At u = -5e5 the value is -u^2/2 - ln sqrt(2 pi) - 2 ln|u| + ln sd up to 3/u^2, and the mean
  // slope is |u| / sd.
  const AcquisitionValue a = LogExpectedImprovement{kBest}.at(below);
  EXPECT_NEAR(
      a.value,
      -1.25e11 - 0.5 * std::log(2.0 * std::numbers::pi) - 2.0 * std::log(5e5) + std::log(1e-6),
      1e-4);
  EXPECT_NEAR(a.mean_slope, 5e11, 10.0);

  const Moments level{.mean = kBest, .variance = prediction::kMinimumVariance};
  EXPECT_DOUBLE_EQ(ExpectedImprovement{kBest}.at(level).value,
                   1e-6 / std::sqrt(2.0 * std::numbers::pi));
  EXPECT_DOUBLE_EQ(ProbabilityOfImprovement{kBest}.at(level).value, 0.5);
}

TEST(MakeAcquisition, PassesEachKindItsParameters) {
  const Moments moments{.mean = 0.3, .variance = 0.04};
  const auto value = [&](AcquisitionOptions::Kind kind) {
    return value_at(make_acquisition(kind, {.multiplier = 1.5, .best = 0.4}), moments).value;
  };
  EXPECT_DOUBLE_EQ(value(AcquisitionOptions::Kind::ucb), 0.6);
  // u = -1/2: Phi = 0.30853753872598690, h = phi - Phi / 2 = 0.19779655740130612.
  EXPECT_NEAR(value(AcquisitionOptions::Kind::pi), 0.30853753872598690, 1e-15);
  EXPECT_NEAR(value(AcquisitionOptions::Kind::ei), 0.2 * 0.19779655740130612, 1e-15);
  EXPECT_NEAR(value(AcquisitionOptions::Kind::logei), std::log(0.2) - 1.6205162643873199, 1e-14);
}

TEST(MakeAcquisition, RefusesKindsThatAreNotFunctionsOfTheMoments) {
  for (const AcquisitionOptions::Kind kind :
       {AcquisitionOptions::Kind::thompson, AcquisitionOptions::Kind::random,
        AcquisitionOptions::Kind::sobol}) {
    EXPECT_THROW((void)make_acquisition(kind, {.multiplier = 1.0}), Error);
  }
}

}  // namespace
}  // namespace oscbo::acquisition
