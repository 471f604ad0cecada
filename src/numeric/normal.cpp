#include "numeric/normal.hpp"

#include <cmath>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

namespace oscbo::numeric {
namespace {

using std::numbers::inv_sqrtpi;
using std::numbers::sqrt2;

constexpr double kInverseRootTwoPi = inv_sqrtpi / sqrt2;
constexpr double kLogRootTwoPi = 0.918938533204672742;

// Above kFarTail, kFractionTerms terms of the continued fraction suffice.
constexpr double kFarTail = 5.0;
constexpr int kFractionTerms = 30;

// Below kTail, phi(u) and u Phi(u) cancel.
constexpr double kTail = -1.0;

// By default Boost computes in long double, which is ten times slower and gains digits that a
// double cannot hold. It also throws if the result is infinite or undefined. This policy turns both
// off.
namespace policies = boost::math::policies;
using QuietDouble = policies::policy<policies::promote_double<false>,
                                     policies::overflow_error<policies::ignore_error>,
                                     policies::domain_error<policies::ignore_error>>;

/// Returns exp(factor x^2). Requires |factor| to be a power of two. The exponential would magnify
/// the rounding error of x^2 by x^2, so a first-order correction removes it.
double exp_of_square(double factor, double x) {
  const double square = x * x;
  const double power = std::exp(factor * square);
  if (!std::isnormal(power)) return power;
  return power * (1.0 + factor * std::fma(x, x, -square));
}

/// The lower tail at u = -a: Mills' ratio M = Phi(-a) / phi(a), and slope = d log h / du = M / (1 -
/// a M). Hence h / phi = M / slope.
struct Tail {
  double mills;
  double slope;
};

/// In the far tail this uses the continued fraction slope = a + 2 / (a + 3 / (a + ...)) and 1 / M =
/// a + 1 / slope, in which nothing cancels. In 1 - a M, which is about 1 / a^2, most digits would
/// cancel.
Tail tail_at(double a) {
  if (a >= kFarTail) {
    double slope = a;
    for (int i = kFractionTerms; i > 1; --i) slope = a + i / slope;
    return {.mills = 1.0 / (a + 1.0 / slope), .slope = slope};
  }
  const double mills = scaled_complementary_error(a / sqrt2) / (sqrt2 * inv_sqrtpi);
  return {.mills = mills, .slope = mills / (1.0 - a * mills)};
}

}  // namespace

double normal_density(double u) { return kInverseRootTwoPi * exp_of_square(-0.5, u); }

double normal_cdf(double u) {
  if (u <= -kFarTail) return normal_density(u) * tail_at(-u).mills;
  return 0.5 * std::erfc(-u / sqrt2);
}

// In the lower tail, Phi(u) = M phi(u) with Mills' ratio M.
double log_normal_cdf(double u) {
  if (u > kTail) return std::log1p(-normal_cdf(-u));
  return std::log(tail_at(-u).mills) - 0.5 * u * u - kLogRootTwoPi;
}

double log_normal_cdf_slope(double u) {
  return u > kTail ? normal_density(u) / normal_cdf(u) : 1.0 / tail_at(-u).mills;
}

double normal_quantile(double p) { return -sqrt2 * boost::math::erfc_inv(2.0 * p, QuietDouble{}); }

double scaled_complementary_error(double x) {
  const double a = sqrt2 * x;
  if (a >= kFarTail) return sqrt2 * inv_sqrtpi * tail_at(a).mills;
  return exp_of_square(1.0, x) * std::erfc(x);
}

double improvement(double u) {
  if (u > kTail) return normal_density(u) + u * normal_cdf(u);
  const Tail tail = tail_at(-u);
  return normal_density(u) * tail.mills / tail.slope;
}

double log_improvement(double u) {
  if (u > kTail) return std::log(improvement(u));
  const Tail tail = tail_at(-u);
  return -0.5 * u * u - kLogRootTwoPi + std::log(tail.mills / tail.slope);
}

double log_improvement_slope(double u) {
  if (u <= kTail) return tail_at(-u).slope;
  return normal_cdf(u) / improvement(u);
}

}  // namespace oscbo::numeric
