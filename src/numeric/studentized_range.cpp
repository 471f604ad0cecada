#include "numeric/studentized_range.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include <boost/math/quadrature/trapezoidal.hpp>
#include <boost/math/tools/toms748_solve.hpp>

#include "numeric/normal.hpp"

namespace oscbo::numeric {
namespace {

// The largest value is outside [-9, 9] with a probability below count * 1e-18.
constexpr double kLargest = 9.0;

}  // namespace

/// Given that the largest of the k values is x, the others lie in [x - q, x]:
///
///   P(Q <= q) = k int phi(x) (Phi(x) - Phi(x - q))^(k-1) dx.
///
/// The integrand is analytic, and it and all its derivatives vanish at both ends. So the
/// trapezoidal rule converges faster than any power of its step.
double studentized_range_cdf(double q, int count) {
  if (q <= 0.0) return 0.0;
  const auto density = [q, count](double x) {
    // For x > 0 the upper tails are used, so that the difference does not cancel.
    const double inside =
        x > 0.0 ? normal_cdf(q - x) - normal_cdf(-x) : normal_cdf(x) - normal_cdf(x - q);
    return count * normal_density(x) * std::pow(inside, count - 1);
  };
  constexpr double kTolerance = 1e-13;
  return boost::math::quadrature::trapezoidal(density, -kLargest, kLargest, kTolerance);
}

/// The range exceeds q only if one of the k (k - 1) / 2 differences does. Each difference is normal
/// with variance 2, so P(Q > q) <= k (k - 1) Phi(-q / sqrt 2). This bounds the quantile from above.
double studentized_range_quantile(double p, int count) {
  const double pairs = 0.5 * count * (count - 1);
  const double bound = -std::numbers::sqrt2 * normal_quantile((1.0 - p) / (2.0 * pairs));
  const auto excess = [p, count](double q) { return studentized_range_cdf(q, count) - p; };
  // For two values the bound is the quantile itself, so 1 is added to keep it inside the bracket.
  std::uintmax_t evaluations = 200;
  const auto bracket = boost::math::tools::toms748_solve(
      excess, 0.0, bound + 1.0, boost::math::tools::eps_tolerance<double>(), evaluations);
  return std::midpoint(bracket.first, bracket.second);
}

}  // namespace oscbo::numeric
