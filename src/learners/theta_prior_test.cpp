#include "learners/theta_prior.hpp"

#include <boost/math/distributions/lognormal.hpp>
#include <gtest/gtest.h>

#include "learners/learners_test_support.hpp"

namespace oscbo::learners {
namespace {

TEST(LogNormal, HasTheLogNormalDensity) {
  for (const LogNormal& law : {LogNormal{.location = 1.96, .scale = std::sqrt(3.0)},
                               LogNormal{.location = -4.0, .scale = 1.0}}) {
    const boost::math::lognormal reference(law.location, law.scale);
    for (const double x : {1e-4, 0.025, 0.3, 1.0, 7.0}) {
      EXPECT_NEAR(law.log_density(x), std::log(boost::math::pdf(reference, x)), 1e-12);
    }
    EXPECT_NEAR(law.mode(), boost::math::mode(reference), 1e-14);
  }
}

TEST(LogNormal, SlopeIsTheDerivativeOfTheLogDensityAndZeroAtTheMode) {
  const LogNormal law{.location = -0.7, .scale = 1.3};
  for (const double x : {1e-4, 0.025, 0.3, 1.0, 7.0}) {
    const double h = 1e-5 * x;
    const double difference = (law.log_density(x + h) - law.log_density(x - h)) / (2.0 * h);
    EXPECT_NEAR(law.slope(x), difference, 1e-7 * std::max(1.0, std::abs(difference)));
  }
  EXPECT_NEAR(law.slope(law.mode()), 0.0, 1e-12);
}

TEST(ThetaPrior, AddsTheLogDensityOfEveryEntryToTheObjective) {
  test::Problem problem(test::smooth_data(12, 3, 1), gp::KernelShape::matern52,
                        gp::likelihood_terms(12));
  const ThetaPrior prior{{.location = 0.1, .scale = 0.9},
                         {.location = -0.3, .scale = 0.5},
                         {.location = 1.0, .scale = 2.0}};
  PerturbedObjective posterior(problem.J(), Vector(), online::PrimalOptions::PerturbedSpace::theta,
                               Transform(LearnerOptions::Transform::clamp), prior);
  const Vector theta = Vector::LinSpaced(3, 0.3, 1.1);
  double expected = problem.J().value(theta);
  for (Index k = 0; k < 3; ++k) {
    expected -= prior[static_cast<std::size_t>(k)].log_density(theta[k]);
  }
  EXPECT_NEAR(posterior.value(theta), expected, 1e-12);

  Vector gradient(3);
  EXPECT_NEAR(posterior.value_and_gradient(theta, gradient), expected, 1e-12);
  for (Index k = 0; k < 3; ++k) {
    const Vector h = 1e-5 * Vector::Unit(3, k);
    const double difference = (posterior.value(theta + h) - posterior.value(theta - h)) / 2e-5;
    EXPECT_NEAR(gradient[k], difference, 1e-6 * std::max(1.0, std::abs(gradient[k])));
  }
}

}  // namespace
}  // namespace oscbo::learners
