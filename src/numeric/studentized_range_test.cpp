#include "numeric/studentized_range.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <gtest/gtest.h>

#include "numeric/normal.hpp"

namespace oscbo::numeric {
namespace {

using std::numbers::pi;
using std::numbers::sqrt2;

// The difference of two values is normal with variance 2.
TEST(StudentizedRange, OfTwoValuesIsAnAbsoluteNormalDifference) {
  for (double q = 0.0625; q <= 12.0; q += 0.0625) {
    EXPECT_NEAR(studentized_range_cdf(q, 2), 1.0 - 2.0 * normal_cdf(-q / sqrt2), 1e-13)
        << "q = " << q;
  }
  for (const double p : {1e-6, 0.1, 0.5, 0.95, 0.999, 1.0 - 1e-7}) {
    const double expected = sqrt2 * normal_quantile(0.5 * (1.0 + p));
    const double cdf_slope = sqrt2 * normal_density(expected / sqrt2);
    EXPECT_NEAR(studentized_range_quantile(p, 2), expected, 1e-12 + 2e-13 / cdf_slope)
        << "p = " << p;
  }
}

// For q -> 0, P(Q <= q) -> k q^(k-1) int phi^k = sqrt(k) (q / sqrt(2 pi))^(k-1), with a relative
// error of order q^2.
TEST(StudentizedRange, FollowsItsPowerLawAtShortRanges) {
  constexpr double kShort = 1e-4;
  for (int count = 2; count <= 5; ++count) {
    const double law = std::sqrt(count) * std::pow(kShort / std::sqrt(2.0 * pi), count - 1);
    EXPECT_NEAR(studentized_range_cdf(kShort, count) / law, 1.0, 1e-7) << count << " values";
  }
}

// The expected range is int P(Q > q) dq. It is also twice the expected largest value, which has a
// closed form for up to five values (2.0588 and 2.3259 for four and five).
TEST(StudentizedRange, HasTheKnownExpectations) {
  const double root_pi = std::sqrt(pi);
  const std::vector<std::pair<int, double>> expectations = {
      {2, 2.0 / root_pi},
      {3, 3.0 / root_pi},
      {4, 12.0 * std::atan(sqrt2) / (pi * root_pi)},
      {5, 2.5 / root_pi + 15.0 * std::asin(1.0 / 3.0) / (pi * root_pi)}};
  for (const auto& [count, expected] : expectations) {
    const auto exceeded = [count = count](double q) {
      return 1.0 - studentized_range_cdf(q, count);
    };
    const double mean =
        boost::math::quadrature::gauss_kronrod<double, 61>::integrate(exceeded, 0.0, 13.0);
    EXPECT_NEAR(mean, expected, 1e-11) << count << " values";
  }
}

TEST(StudentizedRange, HasProbabilityZeroUpToZero) {
  for (const int count : {2, 3, 10}) {
    EXPECT_EQ(studentized_range_cdf(0.0, count), 0.0);
    EXPECT_EQ(studentized_range_cdf(-1.5, count), 0.0);
  }
}

TEST(StudentizedRange, HasQuantilesForManyValues) {
  for (const int count : {20, 100, 1000}) {
    for (const double p : {0.05, 0.95, 0.999}) {
      EXPECT_NEAR(studentized_range_cdf(studentized_range_quantile(p, count), count), p, 1e-12)
          << count << " values";
    }
  }
}

// From published tables of the upper 5 % and 1 % points, with three decimals.
TEST(StudentizedRange, AgreesWithPublishedTables) {
  const std::vector<std::pair<double, double>> table = {
      {2.772, 3.643}, {3.314, 4.120}, {3.633, 4.403}, {3.858, 4.603}, {4.030, 4.757},
      {4.170, 4.882}, {4.286, 4.987}, {4.387, 5.078}, {4.474, 5.157}};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const int count = static_cast<int>(i) + 2;
    EXPECT_NEAR(studentized_range_quantile(0.95, count), table[i].first, 5e-4) << count;
    EXPECT_NEAR(studentized_range_quantile(0.99, count), table[i].second, 5e-4) << count;
  }
}

}  // namespace
}  // namespace oscbo::numeric
