#include "gp/posterior.hpp"

#include <gtest/gtest.h>

#include "gp/gp_test_support.hpp"
#include "gp/kernel_options.hpp"

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
    const LocalPrediction predicted = test::predicted_at(posterior, c.x);
    EXPECT_EQ(predicted.moments.mean, posterior.at(view(c.x)).mean);
    EXPECT_EQ(predicted.moments.variance, posterior.at(view(c.x)).variance);

    constexpr double kStep = 1e-4;
    const std::vector<double>& mean_gradient = predicted.mean_gradient;
    const std::vector<double>& variance_gradient = predicted.variance_gradient;
    for (std::size_t k = 0; k < mean_gradient.size(); ++k) {
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
    // Leaving out the last point means predicting it from the earlier ones.
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

TEST(PosteriorProperty, PendingPointKeepsTheMeanAndShrinksTheVarianceLikeAnObservation) {
  test::for_random_cases(kPosteriorCases, [](const RandomCase& c) {
    Posterior posterior = posterior_of(c);
    const Moments before = posterior.at(view(c.x));
    const Vector pending = Vector::Constant(c.x.size(), 0.4);
    const double pending_mean = posterior.at(view(pending)).mean;
    posterior.condition_on_pending(view(pending));
    const Moments after = posterior.at(view(c.x));

    // The same, with the mean told as an observation.
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

TEST(Posterior, EqualPointsWithAlmostNoNoiseNeedJitterAndReportIt) {
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
  const LocalPrediction predicted = test::predicted_at(posterior, data.point(0));
  EXPECT_EQ(predicted.moments.variance, kMinimumVariance);
  EXPECT_EQ(predicted.variance_gradient[0], 0.0);
}

TEST(PosteriorProperty, PointsArePredictedTogetherLikeEachAlone) {
  test::for_random_cases(kPosteriorCases, [](const RandomCase& c) {
    Posterior posterior = posterior_of(c);
    numeric::RandomStream stream(4, numeric::Purpose::raw_samples);
    std::vector<LocalPrediction> together(11, LocalPrediction(c.x.size()));
    for (LocalPrediction& point : together) {
      point.x = Vector::NullaryExpr(c.x.size(), [&] { return stream.uniform(); });
    }
    posterior.predict(together);
    for (const LocalPrediction& point : together) {
      const LocalPrediction alone = test::predicted_at(posterior, point.x);
      EXPECT_EQ(point.moments.mean, alone.moments.mean);
      EXPECT_EQ(point.moments.variance, alone.moments.variance);
      EXPECT_EQ(point.mean_gradient, alone.mean_gradient);
      EXPECT_EQ(point.variance_gradient, alone.variance_gradient);
    }
  });
}

/// `count` random points in six dimensions.
test::Data random_data(Index count) {
  numeric::RandomStream stream(5, numeric::Purpose::raw_samples);
  test::Data data;
  data.X = test::Matrix::NullaryExpr(count, 6, [&] { return stream.uniform(); });
  data.y = Vector::NullaryExpr(count, [&] { return stream.normal(); });
  return data;
}

test::Data first_of(const test::Data& data, Index count) {
  return {.X = data.X.topRows(count), .y = data.y.head(count)};
}

/// A kernel of each kind, with hyperparameters for six dimensions.
struct GrownModel {
  KernelHandle kernel;
  Vector theta;
};

std::vector<GrownModel> grown_models() {
  Vector additive = Vector::Constant(13, 0.6);
  additive.head(6).setConstant(1.1);
  const Layout plain = Layout::plain(6);
  const Layout mixed(std::vector<ParameterShape>{{ParameterKind::numeric},
                                                 {ParameterKind::categorical},
                                                 {ParameterKind::conditional},
                                                 {ParameterKind::numeric},
                                                 {ParameterKind::numeric}});
  return {{stationary_kernel(KernelShape::matern52), Vector::Constant(1, 0.6)},
          {make_kernel({.ard = true}, plain), Vector::LinSpaced(6, 0.4, 1.5)},
          {make_kernel({.ard = true}, mixed), Vector::LinSpaced(5, 0.4, 1.5)},
          {make_kernel({.ard = true, .additive = true}, plain), additive},
          {make_kernel({.ard = true, .additive = true}, mixed), additive.head(11)},
          {make_kernel({.family = KernelOptions::Family::network}, plain), Vector{{10.0, 1.3}}}};
}

/// A posterior that is grown from `base` points and fitted at each of the `sizes`.
Posterior grown(const GrownModel& model, const test::Data& data, Index base,
                const std::vector<Index>& sizes) {
  Posterior posterior(model.kernel, test::kNoise);
  for (const Index size : sizes) {
    const test::Data known = first_of(data, size);
    EXPECT_TRUE(posterior.fit_grown(known.inputs(), known.y, model.theta, base).ok);
  }
  return posterior;
}

TEST(GrownPosterior, PredictsLikeOneFittedAtOnce) {
  const test::Data data = random_data(330);  // enough for several threads
  for (const GrownModel& model : grown_models()) {
    Posterior at_once = grown(model, data, 330, {330});
    Posterior step_by_step = grown(model, data, 200, {200, 201, 230, 330});
    const Vector x = Vector::Constant(6, 0.3);
    const LocalPrediction expected = test::predicted_at(at_once, x);
    const LocalPrediction predicted = test::predicted_at(step_by_step, x);
    EXPECT_NEAR(predicted.moments.mean, expected.moments.mean, 1e-9);
    EXPECT_NEAR(predicted.moments.variance, expected.moments.variance, 1e-9);
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_NEAR(predicted.mean_gradient[k], expected.mean_gradient[k], 1e-7);
      EXPECT_NEAR(predicted.variance_gradient[k], expected.variance_gradient[k], 1e-7);
    }
    EXPECT_NEAR(step_by_step.log_marginal_likelihood(), at_once.log_marginal_likelihood(), 1e-7);
    EXPECT_LT((step_by_step.fitted_means() - at_once.fitted_means()).norm(), 1e-9);
  }
}

// A model must be a function of the told data. It must not depend on when it was queried, or on the
// points that were pending then.
TEST(GrownPosterior, DoesNotDependOnIntermediateFits) {
  const test::Data data = random_data(61);
  const Vector x = Vector::Constant(6, 0.3);
  Inputs roomy(6, 300);
  for (Index i = 0; i < 61; ++i) roomy.append(data.inputs().point(i));
  for (const GrownModel& model : grown_models()) {
    Posterior without = grown(model, data, 20, {61});
    Posterior with_stops = grown(model, data, 20, {20, 21});
    Posterior from_another = grown(model, data, 33, {33, 50});
    for (Posterior* posterior : {&with_stops, &from_another}) {
      for (const double pending : {0.1, 0.5, 0.9}) {
        posterior->condition_on_pending(view(Vector::Constant(6, pending)));
      }
      ASSERT_TRUE(posterior->fit_grown(roomy, data.y, model.theta, 20).ok);
      EXPECT_EQ(posterior->size(), 61);
      const LocalPrediction predicted = test::predicted_at(*posterior, x);
      const LocalPrediction expected = test::predicted_at(without, x);
      EXPECT_EQ(predicted.moments.mean, expected.moments.mean);
      EXPECT_EQ(predicted.moments.variance, expected.moments.variance);
      EXPECT_EQ(predicted.mean_gradient, expected.mean_gradient);
    }
  }
}

TEST(GrownPosterior, StartsFromScratchIfAnythingElseChanges) {
  const test::Data data = random_data(40);
  const Vector x = Vector::Constant(6, 0.3);
  const Vector theta = Vector::Constant(1, 0.6);
  const auto expect_as_new = [&](Posterior& posterior, const test::Data& now, const Vector& with,
                                 double noise) {
    posterior.set_noise_variance(noise);
    ASSERT_TRUE(posterior.fit_grown(now.inputs(), now.y, with, 20).ok);
    Posterior expected(stationary_kernel(KernelShape::matern52), noise);
    ASSERT_TRUE(expected.fit_grown(now.inputs(), now.y, with, 20).ok);
    EXPECT_EQ(posterior.at(view(x)).mean, expected.at(view(x)).mean);
    EXPECT_EQ(posterior.at(view(x)).variance, expected.at(view(x)).variance);
  };
  Posterior posterior = grown(grown_models().front(), data, 20, {20, 40});
  expect_as_new(posterior, data, Vector::Constant(1, 0.7), test::kNoise);
  expect_as_new(posterior, data, theta, 0.02);
  test::Data moved = data;
  moved.X(30, 2) += 0.1;
  expect_as_new(posterior, moved, theta, 0.02);
  expect_as_new(posterior, first_of(moved, 35), theta, 0.02);
}

TEST(GrownPosterior, FactorizesAllAtOnceIfAPointCannotBeAdded) {
  test::Data data{.X = test::Matrix::Constant(3, 1, 0.5), .y = Vector::Ones(3)};
  data.X(1, 0) = 0.8;  // the third point repeats the first
  Posterior posterior(stationary_kernel(KernelShape::rbf), 1e-17);
  const numeric::FactorOutcome outcome =
      posterior.fit_grown(data.inputs(), data.y, Vector::Constant(1, 0.5), 2);
  EXPECT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.jitter, 1e-8);
  EXPECT_NEAR(posterior.at(view(data.point(0))).mean, 1.0, 1e-6);
}

TEST(GrownPosterior, NeedsLittleMoreThanTwoMatricesOfMemory) {
  const test::Data data = random_data(660);
  for (const Index n : {500, 550, 600, 660}) {
    Posterior posterior = grown(grown_models().front(), data, 500, {500, n});
    posterior.condition_on_pending(view(Vector::Constant(6, 0.3)));
    test::predicted_at(posterior, Vector::Constant(6, 0.3));
    EXPECT_LE(static_cast<double>(posterior.doubles_held()), 2.3 * static_cast<double>(n * n)) << n;
  }
}

}  // namespace
}  // namespace oscbo::gp
