#include "learners/perturbed_objective.hpp"

#include <gtest/gtest.h>

#include "learners/learners_test_support.hpp"

namespace oscbo::learners {
namespace {

using test::Problem;

struct Setting {
  online::PrimalOptions::PerturbedSpace space;
  LearnerOptions::Transform transform;
};

constexpr std::initializer_list<Setting> kSettings = {
    {online::PrimalOptions::PerturbedSpace::theta, LearnerOptions::Transform::softplus},
    {online::PrimalOptions::PerturbedSpace::raw, LearnerOptions::Transform::softplus},
    {online::PrimalOptions::PerturbedSpace::raw, LearnerOptions::Transform::log},
    {online::PrimalOptions::PerturbedSpace::raw, LearnerOptions::Transform::clamp},
};

Problem smooth_problem(double exponent) {
  return {test::smooth_data(12, 3, 1), gp::KernelShape::matern52,
          test::game_terms(12, exponent, 1.0, 0.4)};
}

TEST(PerturbedObjective, SubtractsTheInnerProductWithThetaOrItsRawCoordinates) {
  Problem problem = smooth_problem(2.0);
  const Vector theta = Vector::LinSpaced(3, 0.3, 1.1);
  const Vector eta = Vector::LinSpaced(3, -0.2, 0.4);
  const double J = problem.J().value(theta);
  for (const auto& [space, transform] : kSettings) {
    double inner = 0.0;
    for (Index k = 0; k < 3; ++k) {
      inner += eta[k] * (space == online::PrimalOptions::PerturbedSpace::theta
                             ? theta[k]
                             : Transform(transform).raw(theta[k]));
    }
    EXPECT_NEAR(problem.perturbed(eta, space, transform).value(theta), J - inner, 1e-12);
  }
}

TEST(PerturbedObjective, GradientMatchesCentralDifferences) {
  for (const double exponent : {1.0, 2.0}) {
    for (const Index lengthscales : {1, 3}) {
      Problem problem = smooth_problem(exponent);
      const Vector theta = Vector::LinSpaced(lengthscales, 0.4, 0.9);
      const Vector eta = Vector::LinSpaced(lengthscales, 0.7, -0.5);
      for (const auto& [space, transform] : kSettings) {
        PerturbedObjective perturbed = problem.perturbed(eta, space, transform);
        Vector gradient(lengthscales);
        const double value = perturbed.value_and_gradient(theta, gradient);
        EXPECT_NEAR(value, perturbed.value(theta), 1e-12);
        for (Index k = 0; k < lengthscales; ++k) {
          const Vector h = 1e-5 * Vector::Unit(lengthscales, k);
          const double difference =
              (perturbed.value(theta + h) - perturbed.value(theta - h)) / 2e-5;
          EXPECT_NEAR(gradient[k], difference, 1e-6 * std::max(1.0, std::abs(gradient[k])));
        }
      }
    }
  }
}

TEST(PerturbedObjective, WithoutEtaEqualsTheObjective) {
  Problem problem = smooth_problem(1.0);
  const Vector theta = test::one(0.6);
  Vector plain(1);
  Vector unperturbed(1);
  const double J = problem.J().value_and_gradient(theta, plain);
  EXPECT_EQ(problem.perturbed().value_and_gradient(theta, unperturbed), J);
  EXPECT_EQ(unperturbed, plain);
}

}  // namespace
}  // namespace oscbo::learners
