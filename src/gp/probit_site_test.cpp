#include "gp/probit_site.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "numeric/normal.hpp"

namespace oscbo::gp {
namespace {

/// The moments of N(m, v) times P(outcome | f), by the trapezoidal rule.
Moments true_moments(const Moments& others, bool succeeded) {
  constexpr int kNodes = 4001;
  constexpr double kFar = 12.0;
  const double sd = std::sqrt(others.variance);
  double mass = 0.0;
  double first = 0.0;
  double second = 0.0;
  for (int i = 0; i < kNodes; ++i) {
    const double u = kFar * (2.0 * i / (kNodes - 1) - 1.0);
    const double f = others.mean + sd * u;
    const double density = numeric::normal_density(u) * numeric::normal_cdf(succeeded ? f : -f);
    mass += density;
    first += density * f;
    second += density * f * f;
  }
  const double mean = first / mass;
  return {.mean = mean, .variance = second / mass - mean * mean};
}

TEST(ProbitSite, MatchesTheMomentsOfTheTruePosterior) {
  for (const double mean : {-3.0, -0.5, 0.0, 2.0}) {
    for (const double variance : {0.01, 1.0, 9.0}) {
      for (const bool succeeded : {false, true}) {
        const Moments others{.mean = mean, .variance = variance};
        const ProbitSite site = probit_site(others, succeeded);
        const double precision = 1.0 / variance + 1.0 / site.variance;
        const Moments expected = true_moments(others, succeeded);
        EXPECT_NEAR((mean / variance + site.mean / site.variance) / precision, expected.mean, 1e-8);
        EXPECT_NEAR(1.0 / precision, expected.variance, 1e-8);
      }
    }
  }
}

TEST(ProbitSite, IsFiniteWithPositiveVarianceHoweverUnlikelyTheOutcome) {
  for (const double mean : {-1e6, -40.0, 40.0, 1e6}) {
    for (const bool succeeded : {false, true}) {
      const ProbitSite site = probit_site({.mean = mean, .variance = 4.0}, succeeded);
      EXPECT_TRUE(std::isfinite(site.mean)) << mean;
      EXPECT_GT(site.variance, 0.0) << mean;
      EXPECT_TRUE(std::isfinite(site.variance)) << mean;
    }
  }
}

TEST(ProbitSite, HasNoEffectIfTheOutcomeWasCertain) {
  EXPECT_GT(probit_site({.mean = 40.0, .variance = 1.0}, true).variance, 1e6);
}

}  // namespace
}  // namespace oscbo::gp
