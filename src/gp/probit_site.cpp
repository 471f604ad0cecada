#include "gp/probit_site.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/normal.hpp"

namespace oscbo::gp {

// Let t = 1 for a success and -1 for a failure, u = t m / sqrt(1 + v) and r = phi(u) / Phi(u).
// After the outcome, N(m, v) has the moments
//
//   m + v g,  v - v^2 c,      g = t r / sqrt(1 + v),   c = r (u + r) / (1 + v).
//
// An observation m + g / c with noise variance 1 / c - v leads to the same moments.
ProbitSite probit_site(const Moments& others, bool succeeded) {
  constexpr double kLeastCurvature = 1e-8;  // a certain outcome carries no information
  const double t = succeeded ? 1.0 : -1.0;
  const double sd = std::sqrt(1.0 + others.variance);
  const double u = t * others.mean / sd;
  const double r = numeric::log_normal_cdf_slope(u);
  const double c = std::max(r * (u + r) / (sd * sd), kLeastCurvature);
  return {.mean = others.mean + t * r / (sd * c), .variance = 1.0 / c - others.variance};
}

}  // namespace oscbo::gp
