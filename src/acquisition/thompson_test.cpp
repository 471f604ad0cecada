#include "acquisition/thompson.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <boost/math/distributions/chi_squared.hpp>
#include <gtest/gtest.h>

#include "acquisition/acquisition_test_support.hpp"
#include "numeric/normal.hpp"

namespace oscbo::acquisition {
namespace {

using numeric::PaddedMatrix;
using numeric::Purpose;
using numeric::RandomStream;
using test::random_posterior;
using test::unit_box;
using test::view;

/// A chi-squared statistic exceeds this bound with probability 1e-4.
double chi_squared_bound(double freedom) {
  return boost::math::quantile(boost::math::complement(boost::math::chi_squared(freedom), 1e-4));
}

/// `count` random points of the unit cube and their joint distribution.
struct Joint {
  Joint(gp::Surrogate& posterior, Index count, Index dimension) {
    RandomStream stream(9, Purpose::raw_samples);
    batch.resize(count, dimension);
    for (Index i = 0; i < count; ++i) {
      for (Index k = 0; k < dimension; ++k) batch.points(i, k) = stream.uniform();
    }
    posterior.joint_covariance(batch, covariance);
  }

  [[nodiscard]] Eigen::MatrixXd dense_covariance() const {
    Eigen::MatrixXd dense(covariance.rows(), covariance.rows());
    for (Index i = 0; i < dense.rows(); ++i) {
      for (Index j = 0; j <= i; ++j) dense(i, j) = dense(j, i) = covariance(i, j);
    }
    return dense;
  }

  prediction::PredictionBatch batch;
  PaddedMatrix covariance;
};

// After whitening by the expected distribution, n draws have mean m and second moments S. Then n
// |m|^2 and n (sum_{i>j} S_ij^2 + sum_i (S_ii - 1)^2 / 2) are approximately chi-squared.
TEST(JointSample, HasTheMeanAndCovarianceOfThePosterior) {
  constexpr Index kCount = 9;
  constexpr int kDraws = 20000;
  gp::Surrogate posterior = random_posterior(12, 3, 1);
  const Joint joint(posterior, kCount, 3);
  const Eigen::LLT<Eigen::MatrixXd> factor(joint.dense_covariance());
  ASSERT_EQ(factor.info(), Eigen::Success);

  Vector mean = Vector::Zero(kCount);
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(kCount, kCount);
  for (int draw = 0; draw < kDraws; ++draw) {
    RandomStream stream(4, Purpose::thompson, static_cast<std::uint64_t>(draw));
    const Vector sample = joint_sample(joint.batch, joint.covariance, stream);
    ASSERT_EQ(sample.size(), kCount);
    const Vector white = factor.matrixL().solve(sample - joint.batch.means.head(kCount));
    mean += white / kDraws;
    moments += white * white.transpose() / kDraws;
  }
  EXPECT_LT(kDraws * mean.squaredNorm(), chi_squared_bound(kCount));
  double statistic = 0.0;
  for (Index i = 0; i < kCount; ++i) {
    statistic += kDraws * (moments(i, i) - 1.0) * (moments(i, i) - 1.0) / 2.0;
    for (Index j = 0; j < i; ++j) statistic += kDraws * moments(i, j) * moments(i, j);
  }
  EXPECT_LT(statistic, chi_squared_bound(kCount * (kCount + 1) / 2.0));
}

TEST(JointSample, OfANearlyNoiseFreePosteriorPassesThroughTheData) {
  constexpr Index kPoints = 8;
  RandomStream stream(3, Purpose::initial_design);
  gp::Inputs inputs(2);
  Vector y(kPoints);
  prediction::PredictionBatch batch;
  batch.resize(5 * kPoints, 2);
  for (Index i = 0; i < 5 * kPoints; ++i) {
    const Vector x = Vector::NullaryExpr(2, [&] { return stream.uniform(); });
    batch.points(i, 0) = x[0];
    batch.points(i, 1) = x[1];
    if (i >= kPoints) continue;
    inputs.append(view(x));
    y[i] = stream.normal();
  }
  gp::Surrogate posterior(gp::stationary_kernel(gp::KernelShape::matern52), 1e-9);
  ASSERT_TRUE(posterior.fit(inputs, y, Vector::Constant(1, 0.4)).ok);
  PaddedMatrix covariance;
  posterior.joint_covariance(batch, covariance);
  double spread = 0.0;
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    RandomStream normals(1, Purpose::thompson, draw);
    const Vector sample = joint_sample(batch, covariance, normals);
    // The noise and the first jitter, 1e-8, leave an sd of 1.1e-4.
    for (Index i = 0; i < kPoints; ++i) EXPECT_NEAR(sample[i], y[i], 6e-4);
    const Index rest = 4 * kPoints;
    spread = std::max(
        spread, (sample.tail(rest) - batch.means.segment(kPoints, rest)).cwiseAbs().maxCoeff());
  }
  EXPECT_GT(spread, 0.1);  // away from the data the draws vary
}

TEST(JointSample, IsDrawnIndependentlyIfNoJitterMakesTheCovarianceDefinite) {
  prediction::PredictionBatch batch;
  batch.resize(2, 1);
  batch.means.head(2) << 5.0, -3.0;
  batch.variances.head(2) << 1.0, 4.0;
  PaddedMatrix covariance(2, 2);
  covariance.set_zero();
  covariance(0, 0) = 1.0;
  covariance(1, 0) = 3.0;  // a correlation above 1
  covariance(1, 1) = 4.0;
  RandomStream stream(1, Purpose::thompson);
  RandomStream copy = stream;
  const Vector sample = joint_sample(batch, covariance, stream);
  const double first = copy.normal();
  EXPECT_DOUBLE_EQ(sample[0], 5.0 + first);
  EXPECT_DOUBLE_EQ(sample[1], -3.0 + 2.0 * copy.normal());
}

TEST(PlaceCandidates, FirstHalfAreSobolPointsOfTheBox) {
  const SearchBox box{.lower = Vector::Constant(1, -2.0), .upper = Vector::Constant(1, 6.0)};
  PaddedMatrix points(64, 1);
  RandomStream steps(1, Purpose::thompson);
  place_candidates(box, Vector::Constant(1, 0.0), RandomStream(1, Purpose::raw_samples), steps,
                   points);
  std::vector<double> first(points.column(0), points.column(0) + 32);
  std::sort(first.begin(), first.end());
  for (std::size_t i = 0; i < first.size(); ++i) {  // one in each interval of length 1/4
    EXPECT_EQ(std::floor((first[i] + 2.0) * 4.0), static_cast<double>(i));
  }
}

// P(|step| <= t) = E (2 Phi(t / s) - 1) with s log-uniform in [0.001, 0.3], for t inside the box.
TEST(PlaceCandidates, SecondHalfAreStepsOfEveryScaleAroundTheIncumbent) {
  constexpr Index kSteps = 20000;
  const SearchBox box{.lower = Vector::Constant(1, -1.0), .upper = Vector::Constant(1, 3.0)};
  PaddedMatrix points(2 * kSteps, 1);
  RandomStream stream(2, Purpose::thompson);
  place_candidates(box, Vector::Constant(1, 1.0), RandomStream(2, Purpose::raw_samples), stream,
                   points);
  double positive = 0.0;
  std::vector<double> steps;
  for (Index i = kSteps; i < 2 * kSteps; ++i) {
    const double step = (points(i, 0) - 1.0) / 4.0;
    EXPECT_LE(std::abs(step), 0.5);
    positive += step > 0.0 ? 1.0 : 0.0;
    steps.push_back(std::abs(step));
  }
  EXPECT_NEAR(positive, kSteps / 2.0, 4.0 * std::sqrt(kSteps / 4.0));

  std::sort(steps.begin(), steps.end());
  for (const double t : {1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 0.49}) {
    constexpr int kNodes = 1000;
    double expected = 0.0;
    for (int node = 0; node < kNodes; ++node) {
      const double s = 1e-3 * std::pow(300.0, (node + 0.5) / kNodes);
      expected += (2.0 * numeric::normal_cdf(t / s) - 1.0) / kNodes;
    }
    const auto within = std::upper_bound(steps.begin(), steps.end(), t) - steps.begin();
    EXPECT_NEAR(static_cast<double>(within) / kSteps, expected,
                4.0 * std::sqrt(expected * (1.0 - expected) / kSteps))
        << "t = " << t;
  }
}

TEST(PlaceCandidates, StepsMoveEveryCoordinateAndStayInTheBox) {
  PaddedMatrix points(200, 3);
  RandomStream stream(3, Purpose::thompson);
  const Vector incumbent = (Vector(3) << 0.0, 0.5, 1.0).finished();
  place_candidates(unit_box(3), incumbent, RandomStream(3, Purpose::raw_samples), stream, points);
  for (Index k = 0; k < 3; ++k) {
    int moved = 0;
    for (Index i = 0; i < 200; ++i) {
      EXPECT_GE(points(i, k), 0.0);
      EXPECT_LE(points(i, k), 1.0);
      moved += i >= 100 && points(i, k) != incumbent[k] ? 1 : 0;
    }
    EXPECT_GE(moved, 25);  // half are clipped if the incumbent is on the boundary
  }
}

// With two candidates, the second is chosen with probability Phi((m2 - m1) / sd(f2 - f1)).
TEST(MaximiseSample, ChoosesEachCandidateWithTheProbabilityThatItIsTheBest) {
  gp::Surrogate posterior = random_posterior(2, 1, 2);
  const Vector incumbent = Vector::Constant(1, 0.6);
  constexpr int kDraws = 4000;
  double chosen = 0.0;
  double expected = 0.0;
  double variance = 0.0;
  for (std::uint64_t step = 0; step < kDraws; ++step) {
    const SearchResult found =
        maximise_sample(posterior, {.box = unit_box(1), .incumbent = incumbent}, 2, 5, step);
    prediction::PredictionBatch batch;
    batch.resize(2, 1);
    RandomStream stream(5, Purpose::thompson, step);
    place_candidates(unit_box(1), incumbent, RandomStream(5, Purpose::raw_samples, step), stream,
                     batch.points);
    PaddedMatrix covariance;
    posterior.joint_covariance(batch, covariance);
    const double sd =
        std::sqrt(std::max(covariance(0, 0) + covariance(1, 1) - 2.0 * covariance(1, 0), 1e-16));
    const double p = numeric::normal_cdf((batch.means[1] - batch.means[0]) / sd);
    ASSERT_TRUE(found.x[0] == batch.points(0, 0) || found.x[0] == batch.points(1, 0));
    chosen += found.x[0] == batch.points(1, 0) ? 1.0 : 0.0;
    expected += p;
    variance += p * (1.0 - p);
  }
  EXPECT_GT(variance, 100.0);  // the choice is not almost certain
  EXPECT_NEAR(chosen, expected, 4.0 * std::sqrt(variance));
}

TEST(MaximiseSample, ReturnsAPointOfTheBoxWithAPlausibleValue) {
  for (int i = 0; i < 20; ++i) {
    const Index d = 1 + i % 5;
    gp::Surrogate posterior = random_posterior(25, d, static_cast<std::uint64_t>(i));
    const SearchBox box{.lower = Vector::Constant(d, 0.25), .upper = Vector::Constant(d, 0.5)};
    const SearchResult found =
        maximise_sample(posterior, {.box = box, .incumbent = Vector::Constant(d, 0.5)}, 101, 7, 1);
    ASSERT_EQ(found.x.size(), d);
    EXPECT_GE(found.x.minCoeff(), 0.25);
    EXPECT_LE(found.x.maxCoeff(), 0.5);
    const prediction::Moments moments = posterior.at(view(found.x));
    EXPECT_LT(std::abs(found.value - moments.mean), 6.0 * std::sqrt(moments.variance) + 1e-3);
  }
}

TEST(MaximiseSample, SameStreamsGiveTheSameResult) {
  gp::Surrogate posterior = random_posterior(30, 4, 3);
  const Vector incumbent = Vector::Constant(4, 0.3);
  const SearchResult a =
      maximise_sample(posterior, {.box = unit_box(4), .incumbent = incumbent}, 64, 1, 5);
  const SearchResult b =
      maximise_sample(posterior, {.box = unit_box(4), .incumbent = incumbent}, 64, 1, 5);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.value, b.value);
  EXPECT_NE(a.x,
            maximise_sample(posterior, {.box = unit_box(4), .incumbent = incumbent}, 64, 2, 5).x);
  EXPECT_NE(a.x,
            maximise_sample(posterior, {.box = unit_box(4), .incumbent = incumbent}, 64, 1, 6).x);
}

// If the function is known everywhere, every draw is the function itself: sin(5 x), largest at pi /
// 10.
TEST(MaximiseSample, FindsTheMaximumOfAKnownFunction) {
  constexpr Index kPoints = 30;
  gp::Inputs inputs(1);
  Vector y(kPoints);
  for (Index i = 0; i < kPoints; ++i) {
    const Vector x = Vector::Constant(1, static_cast<double>(i) / (kPoints - 1));
    inputs.append(view(x));
    y[i] = std::sin(5.0 * x[0]);
  }
  gp::Surrogate posterior(gp::stationary_kernel(gp::KernelShape::matern52), 1e-8);
  ASSERT_TRUE(posterior.fit(inputs, y, Vector::Constant(1, 0.5)).ok);
  for (std::uint64_t step = 0; step < 20; ++step) {
    const SearchResult found = maximise_sample(
        posterior, {.box = unit_box(1), .incumbent = Vector::Constant(1, 0.9)}, 512, 1, step);
    EXPECT_NEAR(found.x[0], 0.1 * 3.14159265358979, 0.03);
    EXPECT_NEAR(found.value, 1.0, 2e-3);
  }
}

}  // namespace
}  // namespace oscbo::acquisition
