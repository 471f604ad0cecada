#include "gp/probit_site.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/normal.hpp"

namespace oscbo::gp {

// With t = 1 or -1, u = t m / sqrt(1 + v) and r = phi(u) / Phi(u), the moments of N(m, v) after the
// outcome are
//
//   m + v g,  v - v^2 c,      g = t r / sqrt(1 + v),   c = r (u + r) / (1 + v),
//
// which an observation m + g / c with noise variance 1 / c - v gives as well.
ProbitSite probit_site(const Moments& others, bool succeeded) {
  constexpr double kLeastCurvature = 1e-8;  // an outcome that was certain says nothing
  const double t = succeeded ? 1.0 : -1.0;
  const double sd = std::sqrt(1.0 + others.variance);
  const double u = t * others.mean / sd;
  const double r = numeric::log_normal_cdf_slope(u);
  const double c = std::max(r * (u + r) / (sd * sd), kLeastCurvature);
  return {.mean = others.mean + t * r / (sd * c), .variance = 1.0 / c - others.variance};
}

}  // namespace oscbo::gp
