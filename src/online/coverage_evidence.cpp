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
/// The bracket is of order 1 if m / n > alpha.
double by_incomplete_beta(double misses, double hits, double alpha) {
  using boost::math::lgamma;
  const double log_beta = lgamma(misses + 1.0) + lgamma(hits + 1.0) - lgamma(misses + hits + 2.0);
  return log_beta + std::log(boost::math::ibetac(misses + 1.0, hits + 1.0, alpha)) -
         misses * std::log(alpha) - (hits + 1.0) * std::log1p(-alpha);
}

/// log E by a finite series, which follows by integration by parts. All of its terms are positive:
///
///   (n + 1) E(m, n) = 1 + (m / alpha) E(m - 1, n - 1)
///                   = 1 + m / (alpha n) [1 + (m-1) / (alpha (n-1)) [1 + ...]].
///
/// It serves m / n <= alpha, where the bracket of by_incomplete_beta may underflow. The factors are
/// then at most 1 and decrease, so the sum ends after about sqrt(n) terms.
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
    return;  // a hit lowers the ratio of every alternative, so E has no new maximum
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
