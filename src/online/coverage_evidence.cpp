#include "online/coverage_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace oscbo::online {
namespace {

/// log E by the incomplete beta function,
///
///   E = B(m+1, h+1) [1 - I_alpha(m+1, h+1)] / (alpha^m (1-alpha)^(h+1)),   h = n - m.
///
/// Where m / n > alpha the bracket is of the order of 1.
double by_incomplete_beta(double misses, double hits, double alpha) {
  using boost::math::lgamma;
  const double log_beta = lgamma(misses + 1.0) + lgamma(hits + 1.0) - lgamma(misses + hits + 2.0);
  return log_beta + std::log(boost::math::ibetac(misses + 1.0, hits + 1.0, alpha)) -
         misses * std::log(alpha) - (hits + 1.0) * std::log1p(-alpha);
}

/// log E by the finite series that integration by parts gives, all of whose terms are positive:
///
///   (n + 1) E(m, n) = 1 + (m / alpha) E(m - 1, n - 1)
///                   = 1 + m / (alpha n) [1 + (m-1) / (alpha (n-1)) [1 + ...]].
///
/// Where m / n <= alpha, and the bracket above may underflow, every factor is at most 1 and they
/// decrease: the sum ends after some sqrt(n) terms.
double by_series(double misses, double hits, double alpha) {
  const double rounds = misses + hits;
  double sum = 1.0;
  double term = 1.0;
  for (double j = 0.0; j < misses; j += 1.0) {
    term *= (misses - j) / (alpha * (rounds - j));
    sum += term;
    if (term < std::numeric_limits<double>::epsilon() * sum) break;
  }
  return std::log(sum / (rounds + 1.0));
}

}  // namespace

void CoverageEvidence::observe(bool miss) {
  if (!miss) {
    ++hits_;
    return;  // a hit lowers the ratio of every alternative: no new maximum
  }
  ++misses_;
  highest_log_evidence_ = std::max(highest_log_evidence_, log_evidence());
}

double CoverageEvidence::log_evidence() const {
  const double misses = misses_;
  const double hits = hits_;
  return misses <= alpha_ * (misses + hits) ? by_series(misses, hits, alpha_)
                                            : by_incomplete_beta(misses, hits, alpha_);
}

bool CoverageEvidence::contradicts(double level) const {
  return highest_log_evidence_ >= -std::log(level);
}

}  // namespace oscbo::online
