// Checks of a kernel through the objective and the posterior. A case is a RandomCase with four more
// members: kernel(), posterior(), dense_moments(n, x) and `prior`. dense_moments is a second
// implementation of the posterior, and `prior` is the largest variance of the kernel.
#pragma once

#include "gp/gp_test_support.hpp"
#include "gp/lengthscale_objective.hpp"

namespace oscbo::gp::test {

inline void expect_same_moments(const Moments& actual, const Moments& expected, double prior) {
  EXPECT_NEAR(actual.mean, expected.mean, 1e-8 * std::sqrt(prior));
  EXPECT_NEAR(actual.variance, expected.variance, 1e-9 * prior);
}

/// Checks the gradient of an objective against finite differences, up to a relative error.
inline void expect_theta_gradient(LengthscaleObjective& objective, const Vector& theta,
                                  const Vector& gradient, double tolerance) {
  for (Index k = 0; k < theta.size(); ++k) {
    // Values reach 1e5, so a smaller step would amplify their rounding errors.
    const double difference = derivative(1e-3 * theta[k], [&](double step) {
      Vector other = theta;
      other[k] += step;
      return objective.value(other);
    });
    EXPECT_NEAR(gradient[k], difference, tolerance * std::max(1.0, std::abs(gradient[k]))) << k;
  }
}

/// Checks that the objective is the sum of one-step-ahead losses, and checks its gradient against
/// finite differences.
template <class Case>
void expect_objective_with_gradient(const Case& c) {
  const Inputs inputs = c.data.inputs();
  const ObjectiveTerms terms{
      .log_pivot_weights = c.pivot_weights, .residual_weights = c.weights, .exponent = c.exponent};
  LengthscaleObjective objective(c.kernel(), c.noise);
  objective.set_data(inputs, c.data.y);
  objective.set_terms(terms);

  double expected = 0.0;
  for (Index j = 0; j < c.size(); ++j) {
    const Moments moments = c.dense_moments(j, c.data.point(j));
    const double predictive = moments.variance + c.noise;
    const double z = (c.data.y[j] - moments.mean) / std::sqrt(predictive);
    expected += c.pivot_weights[j] * std::log(predictive) +
                c.weights[j] * std::pow(std::abs(z), c.exponent);
  }
  Vector gradient(c.theta.size());
  const double value = objective.value_and_gradient(c.theta, gradient);
  EXPECT_NEAR(value, expected, 1e-8 * std::max(1.0, std::abs(expected)));
  EXPECT_NEAR(value, objective.value(c.theta), 1e-11 * std::max(1.0, std::abs(value)));

  expect_theta_gradient(objective, c.theta, gradient, 1e-6);
}

/// Checks the moments at the points against the second implementation.
template <class Case>
void expect_dense_moments_at(const Case& c, const std::vector<Vector>& points) {
  Posterior posterior = c.posterior();
  for (const Vector& x : points) {
    expect_same_moments(posterior.at(view(x)), c.dense_moments(c.size(), x), c.prior);
  }
}

/// Checks the gradients of mean and variance against finite differences.
template <class Case>
void expect_posterior_gradients(const Case& c) {
  Posterior posterior = c.posterior();
  const LocalPrediction predicted = predicted_at(posterior, c.x);
  expect_same_moments(predicted.moments, posterior.at(view(c.x)), c.prior);
  const std::vector<double>& mean_gradient = predicted.mean_gradient;
  const std::vector<double>& variance_gradient = predicted.variance_gradient;
  for (std::size_t k = 0; k < mean_gradient.size(); ++k) {
    const auto difference = [&](double Moments::*member) {
      return derivative(1e-4, [&](double step) {
        Vector x = c.x;
        x[static_cast<Index>(k)] += step;
        return posterior.at(view(x)).*member;
      });
    };
    EXPECT_NEAR(mean_gradient[k], difference(&Moments::mean),
                1e-6 * std::max(std::sqrt(c.prior), std::abs(mean_gradient[k])));
    EXPECT_NEAR(variance_gradient[k], difference(&Moments::variance),
                1e-6 * std::max(c.prior, std::abs(variance_gradient[k])));
  }
}

/// Checks that a batch is predicted like its points one by one.
template <class Case>
void expect_batch_as_one_by_one(const Case& c, PredictionBatch batch) {
  Posterior posterior = c.posterior();
  posterior.at_batch(batch);
  EXPECT_TRUE(batch.means.allFinite());
  EXPECT_TRUE(batch.variances.allFinite());
  for (Index i = 0; i < batch.points.rows(); ++i) {
    expect_same_moments({.mean = batch.means[i], .variance = batch.variances[i]},
                        posterior.at(view(point_of(batch, i))), c.prior);
  }
}

}  // namespace oscbo::gp::test
