#include "numeric/normal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

namespace oscbo::numeric {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_100;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Wide wide_pi() { return boost::math::constants::pi<Wide>(); }

Wide wide_density(const Wide& u) { return exp(Wide(-u * u / 2)) / sqrt(Wide(2 * wide_pi())); }

Wide wide_cdf(const Wide& u) { return boost::math::erfc(Wide(-u / sqrt(Wide(2)))) / 2; }

/// log h and its slope at one point, computed with 100 digits.
struct Improvement {
  Wide logarithm;
  Wide slope;
};

/// By the definition. Few of the 100 digits cancel.
Improvement by_definition(const Wide& u) {
  const Wide cdf = wide_cdf(u);
  const Wide h = wide_density(u) + u * cdf;
  return {.logarithm = log(h), .slope = cdf / h};
}

/// By the asymptotic series of Mills' ratio, M = 1/a - 1/a^3 + 3/a^5 - 15/a^7 + ..., a = -u.
Improvement by_series(const Wide& u) {
  const Wide a = -u;
  Wide mills = 0;
  Wide term = 1 / a;
  for (int k = 0; k < 60; ++k) {
    mills += term;
    term *= -(2 * k + 1) / (a * a);
  }
  const Wide rest = 1 - a * mills;
  return {.logarithm = -u * u / 2 - log(Wide(2 * wide_pi())) / 2 + log(rest),
          .slope = mills / rest};
}

Improvement wide_improvement(double u) { return u > -30.0 ? by_definition(u) : by_series(u); }

double relative_error(double value, const Wide& exact) {
  return static_cast<double>(abs(Wide(value - exact)) / abs(exact));
}

/// Arguments from the far left tail to the right, across all branch points.
std::vector<double> arguments() {
  std::vector<double> result = {-1e10, -1e7, -1e5, -1e3, -40.0, -38.0, -37.5};
  for (double u = -30.0; u <= 12.0; u += 0.0625) result.push_back(u);
  result.insert(result.end(), {100.0, 1e8});
  return result;
}

TEST(Normal, DensityIsAccurateInTheTails) {
  EXPECT_DOUBLE_EQ(normal_density(0.0), 0.3989422804014327);
  for (double u = -37.5; u <= 37.5; u += 0.3125) {
    EXPECT_LT(relative_error(normal_density(u), wide_density(u)), 1e-15) << "u = " << u;
  }
  // The correction of the rounding error must keep these exactly 0.
  EXPECT_EQ(normal_density(1e200), 0.0);
  EXPECT_EQ(normal_density(-kInfinity), 0.0);
}

TEST(Normal, CdfIsAccurateInTheTails) {
  EXPECT_DOUBLE_EQ(normal_cdf(0.0), 0.5);
  EXPECT_DOUBLE_EQ(normal_cdf(1.0) + normal_cdf(-1.0), 1.0);
  for (double u = -37.4; u <= 37.5; u += 0.3125) {
    EXPECT_LT(relative_error(normal_cdf(u), wide_cdf(u)), 5e-15) << "u = " << u;
  }
  EXPECT_EQ(normal_cdf(-kInfinity), 0.0);
  EXPECT_EQ(normal_cdf(kInfinity), 1.0);
}

TEST(Normal, QuantileInvertsTheCdfInBothTails) {
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  EXPECT_NEAR(normal_quantile(0.9), 1.2815515655446004, 1e-15);
  EXPECT_NEAR(normal_quantile(1e-300), -37.0470962993611992, 1e-13);
  for (double u = -37.0; u <= 37.0; u += 0.25) {
    const double p = normal_cdf(u);
    if (p == 1.0) continue;
    // An error e of u becomes the relative error e phi / Phi of p, about e |u|. p itself is
    // rounded.
    const double tail = std::min(p, 1.0 - p);
    const double rounding = std::numeric_limits<double>::epsilon() * p / tail;
    const double found = normal_quantile(p);
    EXPECT_NEAR(found, u, 4e-15 * (1.0 + std::abs(u)) + 2.0 * rounding / (1.0 + std::abs(u)))
        << "u = " << u;
  }
}

TEST(Normal, QuantileIsDefinedForEveryArgument) {
  EXPECT_EQ(normal_quantile(0.0), -kInfinity);
  EXPECT_EQ(normal_quantile(1.0), kInfinity);
  EXPECT_TRUE(std::isnan(normal_quantile(-0.1)));
  EXPECT_TRUE(std::isnan(normal_quantile(1.1)));
}

TEST(ScaledComplementaryError, IsAccurateWhereErfcUnderflowsAndAtTheBranchPoint) {
  EXPECT_DOUBLE_EQ(scaled_complementary_error(0.0), 1.0);
  for (double x = -26.0; x <= 100.0; x += 0.0625) {
    const Wide exact = exp(Wide(Wide(x) * x)) * boost::math::erfc(Wide(x));
    EXPECT_LT(relative_error(scaled_complementary_error(x), exact), 2e-15) << "x = " << x;
  }
  // erfcx(x) = (1 - 1/(2 x^2) + ...) / (x sqrt(pi)).
  EXPECT_DOUBLE_EQ(scaled_complementary_error(1e10), std::numbers::inv_sqrtpi * 1e-10);
  EXPECT_EQ(scaled_complementary_error(kInfinity), 0.0);
  EXPECT_EQ(scaled_complementary_error(-30.0), kInfinity);
  EXPECT_EQ(scaled_complementary_error(-1e200), kInfinity);
}

TEST(LogImprovement, AgreesWithValuesOf60DigitArithmetic) {
  const std::vector<std::pair<double, double>> reference = {
      {3.0, 1.0987396653277078},      {1.0, 0.08002621884930694},   {0.0, -0.91893853320467274},
      {-0.5, -1.6205162643873199},    {-1.0, -2.4851210257126413},  {-2.0, -4.7687835239171142},
      {-5.0, -16.74430116266099},     {-10.0, -55.553122036122356}, {-40.0, -808.29856835661996},
      {-1000.0, -500014.73445209116}, {-1e7, -50000000000033.155}};
  for (const auto& [u, expected] : reference) {
    EXPECT_NEAR(log_improvement(u), expected, 1e-12 * std::abs(expected)) << "u = " << u;
  }
}

// The exact values have two derivations, each used where the other fails.
TEST(LogImprovement, ExactValuesAgreeWithEachOther) {
  const Improvement definition = by_definition(-30.0);
  const Improvement series = by_series(-30.0);
  EXPECT_LT(abs(Wide(definition.logarithm - series.logarithm)), Wide(1e-40));
  EXPECT_LT(abs(Wide(definition.slope - series.slope)), Wide(1e-40));
}

TEST(LogImprovement, IsAccurateEverywhere) {
  for (const double u : arguments()) {
    const double exact = static_cast<double>(wide_improvement(u).logarithm);
    EXPECT_NEAR(log_improvement(u), exact, 2e-14 * std::max(0.1, std::abs(exact))) << "u = " << u;
  }
}

TEST(LogImprovement, IsTheLogarithmOfTheImprovementIfThatIsRepresentable) {
  for (double u = -37.0; u <= 20.0; u += 0.25) {
    const Wide cdf = wide_cdf(u);
    const Wide h = wide_density(u) + u * cdf;
    EXPECT_LT(relative_error(improvement(u), h), 2e-14) << "u = " << u;
    // The exponential turns an absolute error of log h into a relative error.
    const double tolerance = 4e-15 * std::max(10.0, std::abs(log_improvement(u)));
    EXPECT_LT(relative_error(std::exp(log_improvement(u)), h), tolerance) << "u = " << u;
  }
}

TEST(LogImprovementSlope, IsAccurateEverywhere) {
  for (const double u : arguments()) {
    EXPECT_LT(relative_error(log_improvement_slope(u), wide_improvement(u).slope), 2e-14)
        << "u = " << u;
  }
}

TEST(LogImprovementSlope, IsTheDerivative) {
  for (const double u : {-40.0, -12.0, -5.0, -2.0, -1.0, 0.0, 3.0}) {
    constexpr double kStep = 1e-4;
    const double difference =
        (log_improvement(u + kStep) - log_improvement(u - kStep)) / (2.0 * kStep);
    EXPECT_NEAR(log_improvement_slope(u), difference, 1e-7) << "u = " << u;
  }
}

TEST(LogImprovement, IsContinuousAndIncreasingAcrossItsBranchPoints) {
  for (const double branch : {-5.0, -1.0}) {
    const double left = std::nextafter(branch, -kInfinity);
    const double right = std::nextafter(branch, kInfinity);
    EXPECT_NEAR(log_improvement(left), log_improvement(right), 1e-13);
    EXPECT_NEAR(log_improvement_slope(left), log_improvement_slope(right), 1e-13);
  }
  const std::vector<double> points = arguments();
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_LT(log_improvement(points[i - 1]), log_improvement(points[i]));
    EXPECT_GT(log_improvement_slope(points[i - 1]), log_improvement_slope(points[i]));
  }
}

TEST(LogImprovement, HasLimits) {
  EXPECT_EQ(log_improvement(-kInfinity), -kInfinity);
  EXPECT_EQ(log_improvement(kInfinity), kInfinity);
  EXPECT_DOUBLE_EQ(log_improvement_slope(-1e200), 1e200);
  EXPECT_DOUBLE_EQ(log_improvement_slope(1e200), 1e-200);
}

TEST(LogNormalCdf, IsTheLogarithmAndStaysFiniteWhereTheCdfUnderflows) {
  for (const double u : {-30.0, -8.0, -1.5, -1.0, -0.5, 0.0, 2.0, 8.0}) {
    EXPECT_NEAR(log_normal_cdf(u), std::log(normal_cdf(u)), 1e-12 * (1.0 + u * u)) << u;
    EXPECT_NEAR(log_normal_cdf_slope(u), normal_density(u) / normal_cdf(u),
                1e-12 * (1.0 + std::abs(u)))
        << u;
  }
  // log Phi(-a) = -a^2 / 2 - log(a sqrt(2 pi)) - 1 / a^2 + 5 / (2 a^4) + ...; its slope is about
  // a + 1 / a.
  for (const double a : {100.0, 1e4, 1e8}) {
    const double inverse = 1.0 / (a * a);
    const double expected = -0.5 * a * a - std::log(a * std::sqrt(2.0 * std::numbers::pi)) -
                            inverse + 2.5 * inverse * inverse;
    EXPECT_NEAR(log_normal_cdf(-a) / expected, 1.0, 1e-12);
    EXPECT_NEAR(log_normal_cdf_slope(-a) / (a + 1.0 / a), 1.0, 1e-6);
  }
}

}  // namespace
}  // namespace oscbo::numeric
