#include "gp/known_noise.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "gp/gp_test_support.hpp"
#include "gp/kernel_checks_test_support.hpp"
#include "gp/lengthscale_objective.hpp"
#include "gp/surrogate.hpp"

namespace oscbo::gp {
namespace {

using test::RandomCase;
using test::view;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Noise that is known for every second observation.
std::vector<double> some_noise(const RandomCase& c) {
  std::vector<double> noise;
  for (Index i = 0; i < c.size(); ++i) {
    noise.push_back(i % 2 == 0 ? c.noise * (0.5 + static_cast<double>(i)) : kUnknown);
  }
  return noise;
}

test::Matrix gram_with(const RandomCase& c, KnownNoise known) {
  test::Matrix A = c.data.gram(c.size(), c.shape, c.theta, 0.0);
  for (Index i = 0; i < c.size(); ++i) A(i, i) += noise_of(known, i, c.noise);
  return A;
}

Posterior fitted(const RandomCase& c, double noise_variance, KnownNoise known) {
  Posterior posterior(stationary_kernel(c.shape), noise_variance);
  EXPECT_TRUE(posterior.fit(c.data.inputs(), c.data.y, c.theta, known).ok);
  return posterior;
}

TEST(KnownNoise, DefaultsToTheNoiseOfTheModel) {
  const std::vector<double> known{kUnknown, 0.3, 0.0};
  EXPECT_EQ(noise_of({}, 5, 0.7), 0.7);
  EXPECT_EQ(noise_of(known, 0, 0.7), 0.7);
  EXPECT_EQ(noise_of(known, 1, 0.7), 0.3);
  EXPECT_GT(noise_of(known, 2, 0.7), 0.0);
  EXPECT_EQ(noise_in_units(known, 2.0)[1], 0.075);
  EXPECT_FALSE(is_known(noise_in_units(known, 2.0), 0));
}

TEST(KnownNoise, OfEqualVariancesEqualsThatNoiseVariance) {
  test::for_random_cases(50, [](const RandomCase& c) {
    const std::vector<double> known(static_cast<std::size_t>(c.size()), c.noise);
    Posterior expected = fitted(c, c.noise, {});
    Posterior posterior = fitted(c, 123.0, known);
    EXPECT_EQ(posterior.at(view(c.x)).mean, expected.at(view(c.x)).mean);
    EXPECT_EQ(posterior.at(view(c.x)).variance, expected.at(view(c.x)).variance);
    EXPECT_EQ(posterior.fitted_means(), expected.fitted_means());
    EXPECT_NEAR(posterior.information_gain(), expected.information_gain(), 1e-10);
  });
}

TEST(KnownNoise, OfSomeObservationsMatchesADirectEvaluation) {
  test::for_random_cases(50, [](const RandomCase& c) {
    const std::vector<double> known = some_noise(c);
    Posterior posterior = fitted(c, c.noise, known);
    const test::Matrix dense = gram_with(c, known);
    const Eigen::LDLT<test::Matrix> A(dense);
    const Vector k = c.data.covariance(c.size(), c.shape, c.theta, c.x);
    EXPECT_NEAR(posterior.at(view(c.x)).mean, k.dot(A.solve(c.data.y)), 1e-8);
    EXPECT_NEAR(posterior.at(view(c.x)).variance, 1.0 - k.dot(A.solve(k)), 1e-9);
    const Vector means = posterior.fitted_means();
    double gain = A.vectorD().array().log().sum();
    for (Index i = 0; i < c.size(); ++i) {
      EXPECT_NEAR(means[i], posterior.at(view(c.data.point(i))).mean, 1e-7);
      gain -= std::log(noise_of(known, i, c.noise));
    }
    EXPECT_NEAR(posterior.information_gain(), 0.5 * gain, 1e-8);
  });
}

// The mean of n observations at a point carries the same information as the observations.
TEST(KnownNoise, OfAMeanIsThatOfItsObservationsDividedByTheirNumber) {
  constexpr double kVariance = 0.2;
  Inputs replicated(1);
  Inputs averaged(1);
  const Vector y{{0.3, 0.9, 0.6, 1.4, -0.5}};
  for (int i = 0; i < 4; ++i) replicated.append(std::vector{0.3});
  replicated.append(std::vector{0.8});
  averaged.append(std::vector{0.3});
  averaged.append(std::vector{0.8});
  Posterior all(stationary_kernel(KernelShape::matern52), 0.01);
  Posterior means(stationary_kernel(KernelShape::matern52), 0.01);
  const Vector theta{{0.4}};
  ASSERT_TRUE(all.fit(replicated, y, theta, std::vector{0.2, 0.2, 0.2, 0.2, kUnknown}).ok);
  ASSERT_TRUE(
      means.fit(averaged, Vector{{0.8, -0.5}}, theta, std::vector{kVariance / 4.0, kUnknown}).ok);
  for (const double x : {0.0, 0.3, 0.5, 0.8}) {
    EXPECT_NEAR(all.at({&x, 1}).mean, means.at({&x, 1}).mean, 1e-12);
    EXPECT_NEAR(all.at({&x, 1}).variance, means.at({&x, 1}).variance, 1e-12);
  }
}

TEST(KnownNoise, MakesTheMeanFollowTheExactObservation) {
  Inputs inputs(1);
  for (int i = 0; i < 2; ++i) inputs.append(std::vector{0.5});
  Posterior posterior(stationary_kernel(KernelShape::matern52), 0.01);
  const double x = 0.5;
  ASSERT_TRUE(posterior.fit(inputs, Vector{{1.0, -1.0}}, Vector{{0.4}}, std::vector{1e-4, 1.0}).ok);
  EXPECT_NEAR(posterior.at({&x, 1}).mean, 1.0, 1e-3);
  ASSERT_TRUE(posterior.fit(inputs, Vector{{1.0, -1.0}}, Vector{{0.4}}, std::vector{1.0, 0.0}).ok);
  EXPECT_NEAR(posterior.at({&x, 1}).mean, -1.0, 1e-6);
  EXPECT_LT(posterior.at({&x, 1}).variance, 1e-9);
}

TEST(KnownNoise, SurvivesGrowingTheModel) {
  test::for_random_cases(30, [](const RandomCase& c) {
    if (c.size() < 4) return;
    const Inputs inputs = c.data.inputs();
    std::vector<double> known = some_noise(c);
    Posterior grown(stationary_kernel(c.shape), c.noise);
    for (const double factor : {1.0, 1.0, 3.0}) {  // a repetition, then a different noise
      known[2] *= factor;
      ASSERT_TRUE(grown.fit_grown(inputs, c.data.y, c.theta, c.size() - 2, known).ok);
      Posterior at_once = fitted(c, c.noise, known);
      EXPECT_NEAR(grown.at(view(c.x)).mean, at_once.at(view(c.x)).mean, 1e-8);
      EXPECT_NEAR(grown.at(view(c.x)).variance, at_once.at(view(c.x)).variance, 1e-9);
      EXPECT_NEAR(grown.information_gain(), at_once.information_gain(), 1e-8);
    }
  });
}

TEST(KnownNoise, ReachesBothPosteriorsOfASurrogate) {
  test::for_random_cases(20, [](const RandomCase& c) {
    const std::vector<double> known = some_noise(c);
    const Inputs inputs = c.data.inputs();
    Surrogate surrogate(stationary_kernel(c.shape), 123.0);
    ASSERT_TRUE(surrogate.fit(inputs, c.data.y, 2.0 * c.theta, c.noise, 0, known).ok);
    ASSERT_TRUE(surrogate.fit_spread(inputs, c.data.y, c.theta, 0, known).ok);
    EXPECT_EQ(surrogate.at(view(c.x)).variance, fitted(c, c.noise, known).at(view(c.x)).variance);
    RandomCase of_mean = c;
    of_mean.theta *= 2.0;
    EXPECT_EQ(surrogate.at(view(c.x)).mean, fitted(of_mean, c.noise, known).at(view(c.x)).mean);
  });
}

/// theta of the case, followed by its noise variance.
Vector theta_and_noise(const RandomCase& c) {
  Vector theta(c.theta.size() + 1);
  theta << c.theta, c.noise;
  return theta;
}

TEST(KnownNoise, IsNotLearnedByTheObjective) {
  test::for_random_cases(40, [](const RandomCase& c) {
    const Inputs inputs = c.data.inputs();
    const std::vector<double> known = some_noise(c);
    const ObjectiveTerms terms = likelihood_terms(c.size());
    LengthscaleObjective objective(stationary_kernel(c.shape), 123.0);
    objective.learn_noise();
    objective.set_data(inputs, c.data.y, known);
    objective.set_terms(terms);
    const Vector theta = theta_and_noise(c);
    Vector gradient(theta.size());
    const double value = objective.value_and_gradient(theta, gradient);
    EXPECT_NEAR(value, -fitted(c, c.noise, known).log_marginal_likelihood(),
                1e-9 * std::max(1.0, std::abs(value)));
    test::expect_theta_gradient(objective, theta, gradient, 1e-5);

    const std::vector<double> all(known.size(), 0.1);
    objective.set_data(inputs, c.data.y, all);
    objective.value_and_gradient(theta, gradient);
    EXPECT_EQ(gradient[theta.size() - 1], 0.0);
  });
}

// (n+1)/2 (log s^2 - 1) + log|A|/2 + (r^T A^{-1} r + 1) / (2 s^2), r = y - m, A = K + S / s^2.
TEST(KnownNoise, MakesTheScaleAnEntryOfTheProfiledObjective) {
  test::for_random_cases(40, [](const RandomCase& c) {
    const Inputs inputs = c.data.inputs();
    std::vector<double> known = some_noise(c);
    known.front() = 0.0;
    const ObjectiveTerms terms = likelihood_terms(c.size());
    LengthscaleObjective J(stationary_kernel(c.shape), c.noise);
    J.learn_noise();
    J.profile_affine_part();
    J.set_data(inputs, c.data.y, known);
    J.set_terms(terms);
    Vector theta(c.theta.size() + 2);
    theta << c.theta, c.noise, 1.4;
    Vector gradient(theta.size());
    const double value = J.value_and_gradient(theta, gradient);

    const Eigen::LLT<test::Matrix> A(gram_with(c, noise_in_units(known, 1.4)));
    const Vector residual = c.data.y.array() - J.affine().location;
    const double log_pivots = test::Matrix(A.matrixL()).diagonal().array().log().sum();
    const double squares = residual.dot(A.solve(residual)) + 1.0;
    const auto count = static_cast<double>(c.size() + 1);
    EXPECT_NEAR(value, count * (std::log(1.4) - 0.5) + log_pivots + 0.5 * squares / (1.4 * 1.4),
                1e-8 * (1.0 + std::abs(value)));
    EXPECT_EQ(J.affine().scale, 1.4);
    test::expect_theta_gradient(J, theta, gradient, 1e-5);
  });
}

TEST(KnownNoise, IsUsedByAScan) {
  const RandomCase c(5);
  const Inputs inputs = c.data.inputs();
  const std::vector<double> known = some_noise(c);
  const ObjectiveTerms terms = likelihood_terms(c.size());
  LengthscaleObjective objective(stationary_kernel(c.shape), c.noise);
  objective.set_terms(terms);
  objective.set_data(inputs, c.data.y);
  const Vector lengthscales{{0.2, 0.6, 1.1}};
  const Vector without = objective.scan(lengthscales, 1);
  objective.set_data(inputs, c.data.y, known);
  const Vector values = objective.scan(lengthscales, 1);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(values[i], objective.value(Vector::Constant(1, lengthscales[i])));
    EXPECT_NE(values[i], without[i]);
  }
}

}  // namespace
}  // namespace oscbo::gp
