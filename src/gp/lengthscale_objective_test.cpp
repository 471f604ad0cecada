#include "gp/lengthscale_objective.hpp"

#include <numbers>
#include <utility>

#include <gtest/gtest.h>

#include "gp/gp_test_support.hpp"

namespace oscbo::gp {
namespace {

using test::RandomCase;

/// An objective together with the data and terms that it refers to.
class OwningObjective {
 public:
  OwningObjective(KernelShape shape, double noise, const test::Data& data, ObjectiveTerms terms)
      : inputs_(data.inputs()),
        y_(data.y),
        terms_(std::move(terms)),
        objective_(stationary_kernel(shape), noise) {
    objective_.set_data(inputs_, y_);
    objective_.set_terms(terms_);
  }
  LengthscaleObjective* operator->() { return &objective_; }

 private:
  Inputs inputs_;
  Vector y_;
  ObjectiveTerms terms_;
  LengthscaleObjective objective_;
};

ObjectiveTerms terms_of(const RandomCase& c) {
  return {.log_pivot_weights = c.pivot_weights,
          .residual_weights = c.weights,
          .exponent = c.exponent,
          .constant = 0.25};
}

/// J from its definition: each point is predicted from the earlier ones.
double direct_objective(const RandomCase& c) {
  double sum = 0.25;
  for (Index j = 0; j < c.size(); ++j) {
    double mean = 0.0;
    double variance = 1.0;
    if (j > 0) {
      const Eigen::LDLT<test::Matrix> A(c.data.gram(j, c.shape, c.theta, c.noise));
      const Vector k = c.data.covariance(j, c.shape, c.theta, c.data.point(j));
      mean = k.dot(A.solve(c.data.y.head(j)));
      variance = 1.0 - k.dot(A.solve(k));
    }
    const double predictive = variance + c.noise;
    const double z = (c.data.y[j] - mean) / std::sqrt(predictive);
    sum += c.pivot_weights[j] * std::log(predictive) +
           c.weights[j] * std::pow(std::abs(z), c.exponent);
  }
  return sum;
}

constexpr int kObjectiveCases = 300;

TEST(ObjectiveProperty, EqualsTheSumOfOneStepAheadLosses) {
  test::for_random_cases(kObjectiveCases, [](const RandomCase& c) {
    OwningObjective objective(c.shape, c.noise, c.data, terms_of(c));
    const double expected = direct_objective(c);
    EXPECT_NEAR(objective->value(c.theta), expected, 1e-8 * std::max(1.0, std::abs(expected)));
  });
}

void expect_gradient_of_central_differences(OwningObjective& objective, const Vector& at) {
  Vector gradient(at.size());
  const double value = objective->value_and_gradient(at, gradient);
  EXPECT_NEAR(value, objective->value(at), 1e-12 * std::max(1.0, std::abs(value)));
  for (Index k = 0; k < at.size(); ++k) {
    // The error of fourth-order differences is below the tolerance for all cases.
    const double h = 1e-4 * at[k];
    const auto shifted = [&](double steps) {
      Vector theta = at;
      theta[k] += steps * h;
      return objective->value(theta);
    };
    const double difference =
        (8.0 * (shifted(1) - shifted(-1)) - (shifted(2) - shifted(-2))) / (12.0 * h);
    EXPECT_NEAR(gradient[k], difference, 1e-6 * std::max(1.0, std::abs(gradient[k])));
  }
}

TEST(ObjectiveProperty, GradientMatchesCentralDifferences) {
  test::for_random_cases(kObjectiveCases, [](const RandomCase& c) {
    OwningObjective objective(c.shape, c.noise, c.data, terms_of(c));
    expect_gradient_of_central_differences(objective, c.theta);
  });
}

/// theta of the case, followed by its noise variance.
Vector with_noise(const RandomCase& c) {
  Vector theta(c.theta.size() + 1);
  theta << c.theta, c.noise;
  return theta;
}

TEST(ObjectiveProperty, LearnedNoiseReplacesTheDeclaredOne) {
  test::for_random_cases(kObjectiveCases, [](const RandomCase& c) {
    OwningObjective objective(c.shape, 123.0, c.data, terms_of(c));
    objective->learn_noise();
    const double expected = direct_objective(c);
    EXPECT_NEAR(objective->value(with_noise(c)), expected,
                1e-8 * std::max(1.0, std::abs(expected)));
  });
}

TEST(ObjectiveProperty, NoiseGradientMatchesCentralDifferences) {
  test::for_random_cases(kObjectiveCases, [](const RandomCase& c) {
    OwningObjective objective(c.shape, 123.0, c.data, terms_of(c));
    objective->learn_noise();
    expect_gradient_of_central_differences(objective, with_noise(c));
  });
}

// For a single point, J = log(k(x, x) + s2) / 2 + y^2 / (2 (k(x, x) + s2)) + constant.
TEST(Objective, NoiseGradientOfOnePointIsKnown) {
  test::Data data{.X = test::Matrix::Constant(1, 2, 0.3), .y = Vector::Constant(1, 0.7)};
  OwningObjective objective(KernelShape::matern52, 123.0, data, likelihood_terms(1));
  objective->learn_noise();
  Vector gradient(2);
  objective->value_and_gradient(Vector{{0.5, 0.25}}, gradient);
  EXPECT_EQ(gradient[0], 0.0);
  EXPECT_NEAR(gradient[1], 0.5 / 1.25 - 0.5 * 0.49 / (1.25 * 1.25), 1e-15);
}

TEST(Objective, LikelihoodTermsYieldTheNegativeLogMarginalLikelihood) {
  const RandomCase c(5);
  OwningObjective objective(c.shape, c.noise, c.data, likelihood_terms(c.size()));
  const test::Matrix A = c.data.gram(c.size(), c.shape, c.theta, c.noise);
  const double log_determinant = std::log(A.determinant());
  const double expected = 0.5 * log_determinant + 0.5 * c.data.y.dot(A.ldlt().solve(c.data.y)) +
                          0.5 * static_cast<double>(c.size()) * std::log(2.0 * std::numbers::pi);
  EXPECT_NEAR(objective->value(c.theta), expected, 1e-9 * std::abs(expected));
}

TEST(Objective, OnePointHasNoLengthscaleToLearn) {
  test::Data data{.X = test::Matrix::Constant(1, 2, 0.3), .y = Vector::Constant(1, 0.7)};
  OwningObjective objective(KernelShape::matern52, 0.01, data, likelihood_terms(1));
  Vector gradient(1);
  EXPECT_TRUE(std::isfinite(objective->value_and_gradient(Vector::Constant(1, 0.5), gradient)));
  EXPECT_EQ(gradient[0], 0.0);
}

TEST(Objective, SubgradientOfTheAbsoluteLossIsZeroAtZero) {
  test::Data data{.X = test::Matrix(2, 1), .y = Vector::Zero(2)};
  data.X << 0.2, 0.7;
  OwningObjective objective(KernelShape::matern52, 0.01, data,
                            ObjectiveTerms{.log_pivot_weights = Vector::Zero(2),
                                           .residual_weights = Vector::Ones(2),
                                           .exponent = 1.0});
  Vector gradient(1);
  objective->value_and_gradient(Vector::Constant(1, 0.5), gradient);
  EXPECT_EQ(gradient[0], 0.0);
}

// --- the affine part profiled out --------------------------------------------------------------

/// The function that is minimised over m and s: (n+1)/2 log s^2 + log|A|/2 + (r^T A^{-1} r + 1) /
/// (2 s^2) with r = y - m.
double affine_objective(const RandomCase& c, double location, double scale) {
  const Eigen::LLT<test::Matrix> A(c.data.gram(c.size(), c.shape, c.theta, c.noise));
  const Vector residual = c.data.y.array() - location;
  const double log_pivots = test::Matrix(A.matrixL()).diagonal().array().log().sum();
  return (static_cast<double>(c.size()) + 1.0) * std::log(scale) + log_pivots +
         0.5 * (residual.dot(A.solve(residual)) + 1.0) / (scale * scale);
}

TEST(ProfiledObjective, IsTheMinimumOverLocationAndScale) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomCase c(seed);
    OwningObjective J(c.shape, c.noise, c.data, likelihood_terms(c.size()));
    J->profile_affine_part();
    const double value = J->value(c.theta);
    const auto [m, s] = J->affine();
    const auto n = static_cast<double>(c.size());
    EXPECT_NEAR(value, affine_objective(c, m, s) - 0.5 * (n + 1.0), 1e-8 * (1.0 + std::abs(value)));
    for (const double step : {-0.01, 0.01}) {
      EXPECT_GT(affine_objective(c, m + step, s), affine_objective(c, m, s));
      EXPECT_GT(affine_objective(c, m, s * (1.0 + step)), affine_objective(c, m, s));
    }
  }
}

TEST(ProfiledObjective, GradientMatchesCentralDifferences) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomCase c(seed);
    if (c.shape == KernelShape::matern12) continue;
    OwningObjective J(c.shape, c.noise, c.data, likelihood_terms(c.size()));
    J->profile_affine_part();
    J->learn_noise();
    Vector theta(c.theta.size() + 1);
    theta << c.theta, c.noise;
    Vector gradient(theta.size());
    J->value_and_gradient(theta, gradient);
    for (Index k = 0; k < theta.size(); ++k) {
      const double step = 1e-5 * theta[k];
      Vector up = theta;
      Vector down = theta;
      up[k] += step;
      down[k] -= step;
      const double difference = (J->value(up) - J->value(down)) / (2.0 * step);
      EXPECT_NEAR(gradient[k], difference, 1e-5 * std::max(1.0, std::abs(gradient[k])));
    }
  }
}

}  // namespace
}  // namespace oscbo::gp
