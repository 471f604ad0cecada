#include "gp/surrogate.hpp"

#include <gtest/gtest.h>

#include "gp/gp_test_support.hpp"

namespace oscbo::gp {
namespace {

using test::RandomCase;
using test::view;

constexpr int kSurrogateCases = 100;
constexpr Index kCount = 13;  // number of points in a batch

/// Hyperparameters that differ from those of the mean.
Vector spread_theta(const RandomCase& c) { return 0.4 * c.theta; }

/// Both posteriors of a case, and the surrogate that combines them.
struct Joined {
  explicit Joined(const RandomCase& c)
      : mean(stationary_kernel(c.shape), c.noise),
        spread(stationary_kernel(c.shape), c.noise),
        surrogate(stationary_kernel(c.shape), c.noise) {
    const Inputs inputs = c.data.inputs();
    EXPECT_TRUE(mean.fit(inputs, c.data.y, c.theta).ok);
    EXPECT_TRUE(spread.fit(inputs, c.data.y, spread_theta(c)).ok);
    EXPECT_TRUE(surrogate.fit(inputs, c.data.y, c.theta).ok);
    EXPECT_TRUE(surrogate.fit_spread(inputs, c.data.y, spread_theta(c)).ok);
  }

  Posterior mean;
  Posterior spread;
  Surrogate surrogate;
};

TEST(Surrogate, WithoutASpreadIsThePosterior) {
  test::for_random_cases(kSurrogateCases, [](const RandomCase& c) {
    Posterior posterior(stationary_kernel(c.shape), c.noise);
    Surrogate surrogate(stationary_kernel(c.shape), c.noise);
    EXPECT_TRUE(posterior.fit(c.data.inputs(), c.data.y, c.theta).ok);
    EXPECT_TRUE(surrogate.fit(c.data.inputs(), c.data.y, c.theta).ok);
    const Moments expected = posterior.at(view(c.x));
    EXPECT_EQ(surrogate.at(view(c.x)).mean, expected.mean);
    EXPECT_EQ(surrogate.at(view(c.x)).variance, expected.variance);
  });
}

TEST(Surrogate, TakesTheMeanFromOnePosteriorAndTheVarianceFromTheOther) {
  test::for_random_cases(kSurrogateCases, [](const RandomCase& c) {
    Joined joined(c);
    const LocalPrediction mean = test::predicted_at(joined.mean, c.x);
    const LocalPrediction spread = test::predicted_at(joined.spread, c.x);
    ASSERT_NE(mean.moments.variance, spread.moments.variance);

    const Moments plain = joined.surrogate.at(view(c.x));
    EXPECT_EQ(plain.mean, mean.moments.mean);
    EXPECT_EQ(plain.variance, spread.moments.variance);
    const LocalPrediction predicted = test::predicted_at(joined.surrogate, c.x);
    EXPECT_EQ(predicted.moments.mean, plain.mean);
    EXPECT_EQ(predicted.moments.variance, plain.variance);
    EXPECT_EQ(predicted.mean_gradient, mean.mean_gradient);
    EXPECT_EQ(predicted.variance_gradient, spread.variance_gradient);
  });
}

TEST(Surrogate, CombinesBatchesAndJointCovariancesToo) {
  test::for_random_cases(kSurrogateCases, [](const RandomCase& c) {
    Joined joined(c);
    PredictionBatch means = test::random_batch(kCount, c.x.size());
    PredictionBatch spreads = test::random_batch(kCount, c.x.size());
    PaddedMatrix expected;
    joined.mean.at_batch(means);
    joined.spread.joint_covariance(spreads, expected);

    PredictionBatch batch = test::random_batch(kCount, c.x.size());
    joined.surrogate.at_batch(batch);
    EXPECT_EQ(batch.means, means.means);
    EXPECT_EQ(batch.variances, spreads.variances);

    PredictionBatch together = test::random_batch(kCount, c.x.size());
    PaddedMatrix covariance;
    joined.surrogate.joint_covariance(together, covariance);
    EXPECT_EQ(together.means, means.means);
    EXPECT_EQ(together.variances, spreads.variances);
    for (Index i = 0; i < kCount; ++i) {
      for (Index j = 0; j <= i; ++j) EXPECT_EQ(covariance(i, j), expected(i, j));
    }
  });
}

TEST(Surrogate, PendingPointsReachBothPosteriors) {
  test::for_random_cases(kSurrogateCases, [](const RandomCase& c) {
    Joined joined(c);
    const Vector pending = Vector::Constant(c.x.size(), 0.4);
    const Moments before = joined.surrogate.at(view(pending));
    joined.surrogate.condition_on_pending(view(pending));
    joined.mean.condition_on_pending(view(pending));
    joined.spread.condition_on_pending(view(pending));
    for (const Vector& x : {pending, c.x}) {
      EXPECT_EQ(joined.surrogate.at(view(x)).mean, joined.mean.at(view(x)).mean);
      EXPECT_EQ(joined.surrogate.at(view(x)).variance, joined.spread.at(view(x)).variance);
    }
    EXPECT_LT(joined.surrogate.at(view(pending)).variance, before.variance);
    EXPECT_NEAR(joined.surrogate.at(view(pending)).mean, before.mean,
                1e-9 * std::max(1.0, std::abs(before.mean)));
  });
}

TEST(Surrogate, ForgetsTheSpreadWithTheNextFit) {
  const RandomCase c(3);
  Joined joined(c);
  ASSERT_TRUE(joined.surrogate.fit(c.data.inputs(), c.data.y, c.theta).ok);
  EXPECT_EQ(joined.surrogate.at(view(c.x)).variance, joined.mean.at(view(c.x)).variance);
}

TEST(Surrogate, LearnedNoiseAppliesToBothPosteriorsUntilTheNextFit) {
  const RandomCase c(4);
  RandomCase noisier = c;
  noisier.noise = 0.3;
  Joined expected(noisier);
  Surrogate surrogate(stationary_kernel(c.shape), c.noise);
  ASSERT_TRUE(surrogate.fit(c.data.inputs(), c.data.y, c.theta, 0.3).ok);
  ASSERT_TRUE(surrogate.fit_spread(c.data.inputs(), c.data.y, spread_theta(c)).ok);
  EXPECT_EQ(surrogate.noise_variance(), 0.3);
  EXPECT_EQ(surrogate.at(view(c.x)).mean, expected.mean.at(view(c.x)).mean);
  EXPECT_EQ(surrogate.at(view(c.x)).variance, expected.spread.at(view(c.x)).variance);

  ASSERT_TRUE(surrogate.fit(c.data.inputs(), c.data.y, c.theta).ok);
  EXPECT_EQ(surrogate.noise_variance(), c.noise);
  EXPECT_EQ(surrogate.at(view(c.x)).mean, Joined(c).mean.at(view(c.x)).mean);
}

TEST(Surrogate, ReportsTheLargerJitterOfBothFactorizations) {
  // With short lengthscales the points are independent. With long ones they are all equal.
  test::Data data{.X = test::Matrix::Constant(5, 2, 0.5), .y = Vector::Ones(5)};
  data.X.col(0) << 0.0, 0.25, 0.5, 0.75, 1.0;
  Surrogate surrogate(stationary_kernel(KernelShape::rbf), 1e-17);
  ASSERT_TRUE(surrogate.fit(data.inputs(), data.y, Vector::Constant(1, 0.05)).ok);
  ASSERT_EQ(surrogate.jitter(), 0.0);
  ASSERT_TRUE(surrogate.fit_spread(data.inputs(), data.y, Vector::Constant(1, 1e4)).ok);
  EXPECT_GT(surrogate.jitter(), 0.0);
}

}  // namespace
}  // namespace oscbo::gp
