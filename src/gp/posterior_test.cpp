#include "gp/posterior.hpp"

#include <gtest/gtest.h>

#include "gp/gp_test_support.hpp"

namespace oscbo::gp {
namespace {

using test::RandomCase;
using test::view;

Posterior posterior_of(const RandomCase& c) {
  Posterior posterior(stationary_kernel(c.shape), c.noise);
  EXPECT_TRUE(posterior.fit(c.data.inputs(), c.data.y, c.theta).ok);
  return posterior;
}

Moments direct_moments(const RandomCase& c, const Vector& x) {
  const Index n = c.size();
  const Eigen::LDLT<test::Matrix> A(c.data.gram(n, c.shape, c.theta, c.noise));
  const Vector k = c.data.covariance(n, c.shape, c.theta, x);
  return {.mean = k.dot(A.solve(c.data.y)), .variance = 1.0 - k.dot(A.solve(k))};
}

constexpr int kPosteriorCases = 200;

TEST(PosteriorProperty, MatchesADirectEvaluation) {
  test::for_random_cases(kPosteriorCases, [](const RandomCase& c) {
    const Moments moments = posterior_of(c).at(view(c.x));
    const Moments expected = direct_moments(c, c.x);
    EXPECT_NEAR(moments.mean, expected.mean, 1e-8 * std::max(1.0, std::abs(expected.mean)));
    EXPECT_NEAR(moments.variance, expected.variance, 1e-9);
  });
}

TEST(PosteriorProperty, GradientsMatchCentralDifferences) {
  test::for_random_cases(kPosteriorCases, [](const RandomCase& c) {
    Posterior posterior = posterior_of(c);
    const auto d = static_cast<std::size_t>(c.x.size());
    std::vector<double> mean_gradient(d);
    std::vector<double> variance_gradient(d);
    const Moments moments = posterior.at(view(c.x), mean_gradient, variance_gradient);
    EXPECT_EQ(moments.mean, posterior.at(view(c.x)).mean);

    constexpr double kStep = 1e-4;
    for (std::size_t k = 0; k < d; ++k) {
      const auto shifted = [&](double steps) {
        Vector x = c.x;
        x[static_cast<Index>(k)] += steps * kStep;
        return posterior.at(view(x));
      };
      const auto difference = [&](double Moments::*member) {
        return (8.0 * (shifted(1).*member - shifted(-1).*member) -
                (shifted(2).*member - shifted(-2).*member)) /
               (12.0 * kStep);
      };
      EXPECT_NEAR(mean_gradient[k], difference(&Moments::mean),
                  1e-6 * std::max(1.0, std::abs(mean_gradient[k])));
      EXPECT_NEAR(variance_gradient[k], difference(&Moments::variance),
                  1e-6 * std::max(1.0, std::abs(variance_gradient[k])));
    }
  });
}

TEST(PosteriorProperty, LeaveOneOutMatchesRefittingWithoutThePoint) {
  test::for_random_cases(kPosteriorCases, [](const RandomCase& c) {
    const std::vector<Moments> loo = posterior_of(c).leave_one_out();
    const Index last = c.size() - 1;
    if (last == 0) return;
    // Leaving out the last point is predicting it from the ones before.
    const Eigen::LDLT<test::Matrix> A(c.data.gram(last, c.shape, c.theta, c.noise));
    const Vector k = c.data.covariance(last, c.shape, c.theta, c.data.point(last));
    const Moments& moments = loo.back();
    EXPECT_NEAR(moments.mean, k.dot(A.solve(c.data.y.head(last))), 1e-7);
    EXPECT_NEAR(moments.variance, 1.0 - k.dot(A.solve(k)) + c.noise, 1e-9);
  });
}

TEST(PosteriorProperty, InformationGainIsTheLogDeterminant) {
  test::for_random_cases(100, [](const RandomCase& c) {
    const test::Matrix A = c.data.gram(c.size(), c.shape, c.theta, c.noise) / c.noise;
    const double expected = Eigen::LLT<test::Matrix>(A).matrixLLT().diagonal().array().log().sum();
    EXPECT_NEAR(posterior_of(c).information_gain(), expected, 1e-9 * std::max(1.0, expected));
  });
}

TEST(PosteriorProperty, BatchEqualsOneByOne) {
  test::for_random_cases(kPosteriorCases, [](const RandomCase& c) {
    Posterior posterior = posterior_of(c);
    constexpr Index kCount = 20;
    PredictionBatch batch = test::random_batch(kCount, c.x.size());
    posterior.at_batch(batch);
    for (Index i = 0; i < kCount; ++i) {
      const Moments one = posterior.at(view(test::point_of(batch, i)));
      EXPECT_NEAR(batch.means[i], one.mean, 1e-9 * std::max(1.0, std::abs(one.mean)));
      EXPECT_NEAR(batch.variances[i], one.variance, 1e-10);
    }
  });
}

TEST(PosteriorProperty, JointCovarianceMatchesADirectEvaluation) {
  test::for_random_cases(kPosteriorCases, [](const RandomCase& c) {
    Posterior posterior = posterior_of(c);
    constexpr Index kCount = 13;
    numeric::RandomStream stream(2, numeric::Purpose::raw_samples);
    test::Data candidates{
        .X = test::Matrix::NullaryExpr(kCount, c.x.size(), [&] { return stream.uniform(); }),
        .y = {}};
    PredictionBatch batch;
    batch.resize(kCount, c.x.size());
    test::Matrix cross(c.size(), kCount);
    for (Index i = 0; i < kCount; ++i) {
      const Vector x = candidates.point(i);
      cross.col(i) = c.data.covariance(c.size(), c.shape, c.theta, x);
      for (Index k = 0; k < x.size(); ++k) batch.points(i, k) = x[k];
    }
    PaddedMatrix covariance;
    posterior.joint_covariance(batch, covariance);

    const Eigen::LDLT<test::Matrix> A(c.data.gram(c.size(), c.shape, c.theta, c.noise));
    const test::Matrix expected =
        candidates.gram(kCount, c.shape, c.theta, 0.0) - cross.transpose() * A.solve(cross);
    for (Index i = 0; i < kCount; ++i) {
      EXPECT_NEAR(covariance(i, i), batch.variances[i], 1e-10);
      for (Index j = 0; j <= i; ++j) EXPECT_NEAR(covariance(i, j), expected(i, j), 1e-9);
    }
  });
}

TEST(PosteriorProperty, PendingPointKeepsTheMeanAndShrinksTheVarianceAsARealOneWould) {
  test::for_random_cases(kPosteriorCases, [](const RandomCase& c) {
    Posterior posterior = posterior_of(c);
    const Moments before = posterior.at(view(c.x));
    const Vector pending = Vector::Constant(c.x.size(), 0.4);
    const double pending_mean = posterior.at(view(pending)).mean;
    posterior.condition_on_pending(view(pending));
    const Moments after = posterior.at(view(c.x));

    // The same, with the mean told as if it had been observed.
    RandomCase told = c;
    told.data.X.conservativeResize(c.size() + 1, Eigen::NoChange);
    told.data.X.row(c.size()) = pending.transpose();
    told.data.y.conservativeResize(c.size() + 1);
    told.data.y[c.size()] = pending_mean;
    const Moments expected = direct_moments(told, c.x);
    EXPECT_NEAR(after.mean, before.mean, 1e-9 * std::max(1.0, std::abs(before.mean)));
    EXPECT_NEAR(after.mean, expected.mean, 1e-7 * std::max(1.0, std::abs(expected.mean)));
    EXPECT_NEAR(after.variance, expected.variance, 1e-9);
    EXPECT_LE(after.variance, before.variance + 1e-12);
  });
}

TEST(Posterior, ManyPendingPointsStayConsistentAcrossTiles) {
  const RandomCase c(1234);
  Posterior posterior = posterior_of(c);
  const double mean = posterior.at(view(c.x)).mean;
  numeric::RandomStream stream(3, numeric::Purpose::raw_samples);
  double variance = 1.0;
  for (int i = 0; i < 25; ++i) {
    const Vector x = Vector::NullaryExpr(c.x.size(), [&] { return stream.uniform(); });
    posterior.condition_on_pending(view(x));
    const Moments now = posterior.at(view(c.x));
    EXPECT_NEAR(now.mean, mean, 1e-8);
    EXPECT_LE(now.variance, variance + 1e-12);
    variance = now.variance;
  }
}

TEST(Posterior, EqualPointsWithAlmostNoNoiseNeedJitterAndSayHowMuch) {
  test::Data data{.X = test::Matrix::Constant(5, 2, 0.5), .y = Vector::Ones(5)};
  Posterior posterior(stationary_kernel(KernelShape::rbf), 1e-16);
  const numeric::FactorOutcome outcome =
      posterior.fit(data.inputs(), data.y, Vector::Constant(1, 0.5));
  EXPECT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.jitter, 1e-8);
  EXPECT_NEAR(posterior.at(view(Vector::Constant(2, 0.5))).mean, 1.0, 1e-6);
}

TEST(Posterior, VarianceNeverFallsBelowItsFloor) {
  test::Data data{.X = test::Matrix::Constant(1, 1, 0.5), .y = Vector::Ones(1)};
  Posterior posterior(stationary_kernel(KernelShape::rbf), 1e-14);
  ASSERT_TRUE(posterior.fit(data.inputs(), data.y, Vector::Constant(1, 0.5)).ok);
  std::vector<double> mean_gradient(1);
  std::vector<double> variance_gradient(1);
  const Vector x = data.point(0);
  EXPECT_EQ(posterior.at(view(x), mean_gradient, variance_gradient).variance, kMinimumVariance);
  EXPECT_EQ(variance_gradient[0], 0.0);
}

}  // namespace
}  // namespace oscbo::gp
