#include "online/coverage_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <gtest/gtest.h>

#include "numeric/random_stream.hpp"

namespace oscbo::online {
namespace {

CoverageEvidence after(double alpha, int misses, int hits) {
  CoverageEvidence evidence(alpha);
  for (int i = 0; i < hits; ++i) evidence.observe(false);
  for (int i = 0; i < misses; ++i) evidence.observe(true);
  return evidence;
}

/// The log of the mixture of likelihood ratios, integrated piecewise around its peak.
double log_evidence_by_quadrature(double alpha, double misses, double hits) {
  const auto log_ratio = [&](double q) {
    return (misses > 0.0 ? misses * std::log(q / alpha) : 0.0) +
           (hits > 0.0 ? hits * (std::log1p(-q) - std::log1p(-alpha)) : 0.0);
  };
  const double peak = std::clamp(misses / std::max(misses + hits, 1.0), alpha, 1.0);
  const double top = log_ratio(peak);
  // Geometric distances from the peak resolve it, however narrow it is.
  std::vector<double> knots = {alpha, peak, 1.0};
  for (double distance = 1.0; distance > 1e-14; distance *= 0.5) {
    if (peak - distance > alpha) knots.push_back(peak - distance);
    if (peak + distance < 1.0) knots.push_back(peak + distance);
  }
  std::sort(knots.begin(), knots.end());
  double integral = 0.0;
  for (std::size_t i = 1; i < knots.size(); ++i) {
    if (knots[i - 1] == knots[i]) continue;
    integral += boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
        [&](double q) { return std::exp(log_ratio(q) - top); }, knots[i - 1], knots[i], 0);
  }
  return top + std::log(integral) - std::log1p(-alpha);
}

TEST(CoverageEvidence, MatchesTheFirstRoundsByHand) {
  const double alpha = 0.2;
  EXPECT_NEAR(CoverageEvidence(alpha).log_evidence(), 0.0, 1e-15);
  // The mean of q over (alpha, 1) is (1 + alpha) / 2 = 0.6.
  EXPECT_NEAR(after(alpha, 1, 0).log_evidence(), std::log(0.6 / 0.2), 1e-14);
  EXPECT_NEAR(after(alpha, 0, 1).log_evidence(), std::log(0.4 / 0.8), 1e-14);
  // Hits alone: the mean of ((1-q) / (1-alpha))^n is 1 / (n + 1).
  EXPECT_NEAR(after(alpha, 0, 99'999).log_evidence(), -std::log(1e5), 1e-12);
  // Misses alone: (1 - alpha^(n+1)) / ((n+1) (1-alpha) alpha^n).
  EXPECT_NEAR(after(alpha, 100, 0).log_evidence(), -std::log(101.0 * 0.8) - 100.0 * std::log(alpha),
              1e-11);
}

TEST(CoverageEvidence, IsTheMixtureOfLikelihoodRatios) {
  for (const double alpha : {1e-12, 0.01, 0.157, 0.5, 0.95}) {
    for (const int rounds : {1, 2, 10, 100, 5000, 100'000}) {
      for (const double fraction : {0.0, 0.5 * alpha, alpha, 1.1 * alpha, 0.3, 1.0}) {
        const int misses = std::min(static_cast<int>(std::lround(fraction * rounds)), rounds);
        const double expected = log_evidence_by_quadrature(alpha, misses, rounds - misses);
        EXPECT_NEAR(after(alpha, misses, rounds - misses).log_evidence(), expected,
                    1e-8 + 1e-13 * std::abs(expected))
            << alpha << ": " << misses << " of " << rounds;
      }
    }
  }
}

// With a miss probability of alpha, one more round leaves the expectation of E unchanged.
TEST(CoverageEvidence, IsAMartingaleAtTheBoundaryOfTheClaim) {
  for (const double alpha : {1e-6, 0.05, 0.157, 0.5, 0.9}) {
    for (int rounds = 0; rounds < 60; ++rounds) {
      for (int misses = 0; misses <= rounds; ++misses) {
        const double now = after(alpha, misses, rounds - misses).log_evidence();
        const double up = after(alpha, misses + 1, rounds - misses).log_evidence() - now;
        const double down = after(alpha, misses, rounds - misses + 1).log_evidence() - now;
        ASSERT_NEAR(alpha * std::exp(up) + (1.0 - alpha) * std::exp(down), 1.0, 1e-12)
            << alpha << ": " << misses << " of " << rounds;
        ASSERT_LT(down, 0.0) << "hits are evidence for the claim";
        ASSERT_GT(up, 0.0) << "misses are evidence against it";
      }
    }
  }
}

TEST(CoverageEvidence, RemembersAContradiction) {
  CoverageEvidence evidence(0.1);
  EXPECT_FALSE(evidence.contradicts(0.05));
  EXPECT_TRUE(evidence.contradicts(1.0)) << "E starts at 1";
  evidence.observe(true);  // E = 0.55 / 0.1 = 5.5
  EXPECT_TRUE(evidence.contradicts(1.0 / 5.4));
  EXPECT_FALSE(evidence.contradicts(1.0 / 5.6));
  for (int i = 0; i < 1000; ++i) evidence.observe(false);
  EXPECT_LT(evidence.log_evidence(), std::log(0.02));
  EXPECT_TRUE(evidence.contradicts(1.0 / 5.4));
  EXPECT_FALSE(evidence.contradicts(1.0 / 5.6));
}

/// Returns the first round in which the claim is contradicted, or rounds + 1.
int first_contradiction(std::uint64_t sequence, double alpha, double miss_probability, double level,
                        int rounds) {
  numeric::RandomStream stream(2024, numeric::Purpose::observation_noise, sequence);
  CoverageEvidence evidence(alpha);
  for (int round = 1; round <= rounds; ++round) {
    evidence.observe(stream.uniform() < miss_probability);
    if (evidence.contradicts(level)) return round;
  }
  return rounds + 1;
}

TEST(CoverageEvidence, RarelyContradictsATrueClaim) {
  constexpr int kSequences = 2000;
  constexpr int kRounds = 500;
  for (const double level : {0.05, 0.2}) {
    int alarms = 0;
    for (std::uint64_t sequence = 0; sequence < kSequences; ++sequence) {
      alarms += first_contradiction(sequence, 0.157, 0.157, level, kRounds) <= kRounds ? 1 : 0;
    }
    const double error = std::sqrt(level * (1.0 - level) / kSequences);
    EXPECT_LT(static_cast<double>(alarms) / kSequences, level + 3.0 * error);
    EXPECT_GT(alarms, 0) << "without any alarm, the test above cannot fail";
  }
}

TEST(CoverageEvidence, ContradictsAFalseClaimSoon) {
  constexpr int kSequences = 1000;
  int detected = 0;
  for (std::uint64_t sequence = 0; sequence < kSequences; ++sequence) {
    detected += first_contradiction(sequence, 0.157, 0.5, 0.05, 100) <= 100 ? 1 : 0;
  }
  EXPECT_GE(detected, 990);
}

}  // namespace
}  // namespace oscbo::online
