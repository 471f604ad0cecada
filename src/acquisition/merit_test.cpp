#include "acquisition/merit.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "acquisition/acquisition_test_support.hpp"
#include "numeric/normal.hpp"

namespace oscbo::acquisition {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Limit limit_between(double lower, double upper) {
  return {.model = {}, .lower = lower, .upper = upper};
}

TEST(Limit, IsTheLogProbabilityOfItsEnds) {
  const prediction::Moments moments{.mean = 0.3, .variance = 0.25};
  EXPECT_NEAR(limit_between(0.0, kInfinite).weight(moments).value,
              std::log(numeric::normal_cdf(0.6)), 1e-14);
  EXPECT_NEAR(limit_between(-kInfinite, 1.0).weight(moments).value,
              std::log(numeric::normal_cdf(1.4)), 1e-14);
  EXPECT_NEAR(limit_between(0.0, 1.0).weight(moments).value,
              std::log(numeric::normal_cdf(0.6)) + std::log(numeric::normal_cdf(1.4)), 1e-14);
}

TEST(Limit, HasAFiniteValueAndSlopeEverywhere) {
  for (const double mean : {-1e6, -40.0, 0.0, 40.0, 1e6}) {
    const AcquisitionValue value =
        limit_between(0.0, kInfinite).weight({.mean = mean, .variance = 1.0});
    EXPECT_TRUE(std::isfinite(value.value)) << mean;
    EXPECT_TRUE(std::isfinite(value.mean_slope)) << mean;
    EXPECT_GE(value.mean_slope, 0.0) << mean;
  }
}

TEST(Limit, SlopesMatchDifferencesOfTheValue) {
  Limit limit = limit_between(-0.2, 0.9);
  limit.added_variance = 0.1;
  for (const double mean : {-3.0, -0.4, 0.2, 2.0}) {
    for (const double variance : {0.01, 0.5, 4.0}) {
      const auto value_at = [&](double m, double v) {
        return limit.weight({.mean = m, .variance = v}).value;
      };
      constexpr double kStep = 1e-6;
      const AcquisitionValue value = limit.weight({.mean = mean, .variance = variance});
      const double scale = 1.0 + std::abs(value.value);
      EXPECT_NEAR(
          value.mean_slope,
          (value_at(mean + kStep, variance) - value_at(mean - kStep, variance)) / (2.0 * kStep),
          1e-6 * scale);
      EXPECT_NEAR(
          value.variance_slope,
          (value_at(mean, variance + kStep) - value_at(mean, variance - kStep)) / (2.0 * kStep),
          1e-6 * scale / variance);
    }
  }
}

}  // namespace
}  // namespace oscbo::acquisition
