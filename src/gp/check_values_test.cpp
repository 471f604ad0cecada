// The published check values: one small problem, computed independently to full precision.
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include "gp/gp_test_support.hpp"
#include "gp/lengthscale_objective.hpp"
#include "gp/posterior.hpp"

namespace oscbo::gp {
namespace {

using test::kNoise;

constexpr double kBeta = 2.0;

test::Data check_data() {
  test::Data data{.X = test::Matrix(4, 2), .y = Vector(4)};
  data.X << 0.1, 0.2, 0.4, 0.9, 0.75, 0.3, 0.55, 0.6;
  data.y << -0.8, 0.3, 1.1, -0.6;
  return data;
}

const Vector kTheta = Vector::Constant(1, 0.5);

void expect_relative(double actual, double expected, double digits = 1e-10) {
  EXPECT_NEAR(actual, expected, digits * std::abs(expected));
}

Posterior check_posterior() {
  const test::Data data = check_data();
  Posterior posterior(stationary_kernel(KernelShape::matern52), kNoise);
  EXPECT_TRUE(posterior.fit(data.inputs(), data.y, kTheta).ok);
  return posterior;
}

/// The objective of Proposition 1 with these weights, without perturbation.
double ftpl_objective(double p, Vector& gradient) {
  const test::Data data = check_data();
  const double c = std::log1p(1.0 / kNoise);
  const Vector weights = (Vector(4) << 0.5, 0.5, 0.6, 0.55).finished();
  const ObjectiveTerms terms{.log_pivot_weights = Vector::Constant(4, 1.0 / c),
                             .residual_weights = weights * std::pow(kBeta, -p / 2.0),
                             .exponent = p,
                             .constant = -4.0 * std::log(kNoise) / c - weights.sum()};
  const Inputs inputs = data.inputs();
  LengthscaleObjective objective(stationary_kernel(KernelShape::matern52), kNoise);
  objective.set_data(inputs, data.y);
  objective.set_terms(terms);
  return objective.value_and_gradient(kTheta, gradient);
}

TEST(CheckValues, StandardisedResiduals) {
  const Posterior posterior = check_posterior();
  const std::vector<double> z{-0.796029752167991, 0.534960656700948, 1.38542365131296,
                              -2.43179392456372};
  for (Index j = 0; j < 4; ++j)
    expect_relative(posterior.residuals()[j], z[static_cast<std::size_t>(j)]);
}

TEST(CheckValues, LogDeterminantAndMarginalLikelihood) {
  const test::Data data = check_data();
  const Inputs inputs = data.inputs();
  const ObjectiveTerms log_determinant{.log_pivot_weights = Vector::Ones(4),
                                       .residual_weights = Vector::Zero(4)};
  LengthscaleObjective objective(stationary_kernel(KernelShape::matern52), kNoise);
  objective.set_data(inputs, data.y);
  objective.set_terms(log_determinant);
  expect_relative(objective.value(kTheta), -1.63754088774949);
  expect_relative(check_posterior().log_marginal_likelihood(), -7.23341701680238);
}

TEST(CheckValues, FtplObjectiveAndGradient) {
  Vector gradient(1);
  expect_relative(ftpl_objective(1.0, gradient), 3.49066259051505);
  expect_relative(gradient[0], 1.90990868773);
  expect_relative(ftpl_objective(2.0, gradient), 3.91858219833626);
  expect_relative(gradient[0], 8.18139595411);
}

TEST(CheckValues, LeaveOneOut) {
  const std::vector<double> means{-0.0244226440603, -0.915212871599, -0.708912841359,
                                  0.61469603805};
  const std::vector<double> variances{0.829688993808, 0.434957399269, 0.468647455132,
                                      0.249506400953};
  const std::vector<double> pit{0.197255192043, 0.967305642193, 0.995883661933, 0.00751212634189};
  const test::Data data = check_data();
  const std::vector<Moments> loo = check_posterior().leave_one_out();
  for (std::size_t i = 0; i < 4; ++i) {
    expect_relative(loo[i].mean, means[i]);
    expect_relative(loo[i].variance, variances[i]);
    const boost::math::normal prediction(loo[i].mean, std::sqrt(loo[i].variance));
    expect_relative(boost::math::cdf(prediction, data.y[static_cast<Index>(i)]), pit[i]);
  }
}

TEST(CheckValues, PosteriorAndUpperConfidenceBound) {
  Posterior posterior = check_posterior();
  const Moments moments = posterior.at(test::view(Vector::Constant(2, 0.5)));
  expect_relative(moments.mean, -0.534956075288006);
  expect_relative(moments.variance, 0.0539321788735689);
  expect_relative(moments.mean + std::sqrt(kBeta) * std::sqrt(moments.variance),
                  -0.206528978739719);
}

TEST(CheckValues, MaternKernels) {
  const auto at = [](KernelShape shape) {
    Vector r = Vector::Constant(numeric::kLanes, 0.7);
    RadialProfile(shape).evaluate(r.data(), nullptr, numeric::kLanes);
    return r[0];
  };
  expect_relative(at(KernelShape::matern12), 0.49658530379141);
  expect_relative(at(KernelShape::matern32), 0.658137376316584);
  expect_relative(at(KernelShape::matern52), 0.706942681904098);
}

}  // namespace
}  // namespace oscbo::gp
