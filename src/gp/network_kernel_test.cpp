#include "gp/network_kernel.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "gp/kernel_checks_test_support.hpp"

namespace oscbo::gp {
namespace {

using test::Matrix;
using test::view;

constexpr double kPi = std::numbers::pi;

KernelHandle network_kernel(const NetworkArchitecture& architecture) {
  return std::make_shared<NetworkKernel>(architecture);
}

// --- the kernel implemented again, from its definition ------------------------------------------

/// K^depth(a, b), layer by layer over the 2 x 2 covariance matrix of the two points.
double dense_raw(const NetworkArchitecture& network, const Vector& a, const Vector& b,
                 const Vector& theta) {
  const double d = static_cast<double>(a.size());
  const double vw = theta[0];
  const double vb = theta[1];
  Eigen::Matrix2d K;
  K << a.dot(a), a.dot(b), b.dot(a), b.dot(b);
  K = (vw / d * K).array() + vb;
  for (int layer = 0; layer < network.depth; ++layer) {
    Eigen::Matrix2d next;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        if (network.activation == KernelOptions::Activation::erf) {
          const double s = 2.0 * K(i, j) / std::sqrt((1.0 + 2.0 * K(i, i)) * (1.0 + 2.0 * K(j, j)));
          next(i, j) = vb + 2.0 * vw / kPi * std::asin(s);
        } else if (i == j) {
          next(i, i) = vb + vw * K(i, i) / 2.0;
        } else {
          const double scale = std::sqrt(K(i, i) * K(j, j));
          const double t = std::acos(std::min(K(i, j) / scale, 1.0));
          next(i, j) = vb + vw / (2.0 * kPi) * scale * (std::sin(t) + (kPi - t) * std::cos(t));
        }
      }
    }
    K = next;
  }
  return K(0, 1);
}

double dense_kernel(const NetworkArchitecture& network, const Vector& a, const Vector& b,
                    const Vector& theta) {
  const Vector corner = Vector::Ones(a.size());
  return dense_raw(network, a, b, theta) /
         (network.normalised ? dense_raw(network, corner, corner, theta) : 1.0);
}

/// A random problem with a network kernel. The noise is in units of the prior variance, so that all
/// problems are equally well conditioned.
struct NetworkCase : test::RandomCase {
  explicit NetworkCase(std::uint64_t seed) : RandomCase(seed) {
    numeric::RandomStream stream(seed, numeric::Purpose::initial_design, 78);
    network = {.depth = static_cast<int>(1 + stream.below(5)),
               .activation = stream.below(2) == 1 ? KernelOptions::Activation::erf
                                                  : KernelOptions::Activation::relu,
               .normalised = stream.below(2) == 1};
    theta = Vector{{0.2 + 10.0 * stream.uniform(), 0.05 + 2.0 * stream.uniform()}};
    const Vector corner = Vector::Ones(x.size());
    prior = dense_kernel(network, corner, corner, theta);
    noise *= prior;
    data.y *= std::sqrt(prior);
  }

  [[nodiscard]] double dense(const Vector& a, const Vector& b) const {
    return dense_kernel(network, a, b, theta);
  }

  /// The prediction at `at` from the first n points.
  [[nodiscard]] Moments dense_moments(Index n, const Vector& at) const {
    return test::dense_moments(
        data, n, noise, [this](const Vector& a, const Vector& b) { return dense(a, b); }, at);
  }

  [[nodiscard]] KernelHandle kernel() const { return network_kernel(network); }

  [[nodiscard]] Posterior posterior() const {
    Posterior result(kernel(), noise);
    EXPECT_TRUE(result.fit(data.inputs(), data.y, theta).ok);
    return result;
  }

  NetworkArchitecture network;
  double prior;  // the largest prior variance in the box
};

template <class Check>
void for_network_cases(Check&& check) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "network case " << seed);
    check(NetworkCase(seed));
  }
}

// --- check values ------------------------------------------------------------------------------

/// The published pair of points with vw = 10, vb = 1.3.
struct PairValues {
  double covariance;
  double first_variance;
  double second_variance;
};

PairValues at_published_pair(const NetworkArchitecture& network) {
  const Vector first{{0.2, 0.7, 0.5}};
  const Vector second{{0.9, 0.1, 0.4}};
  const Vector theta{{10.0, 1.3}};
  const KernelHandle kernel = network_kernel(network);
  Inputs inputs(3);
  inputs.append(view(first));
  inputs.append(view(second));
  PaddedMatrix K(2, 2);
  kernel->matrix(inputs, theta, K);
  EXPECT_DOUBLE_EQ(K(0, 0), kernel->variance(view(first), theta));
  EXPECT_DOUBLE_EQ(K(1, 1), kernel->variance(view(second), theta));
  return {.covariance = K(1, 0), .first_variance = K(0, 0), .second_variance = K(1, 1)};
}

void expect_twelve_digits(double actual, double expected) {
  EXPECT_NEAR(actual, expected, 1e-12 * std::abs(expected));
}

TEST(NetworkKernel, HasThePublishedValuesForRelu) {
  // The published digits are rounded at a relative error of 1e-14.
  const double covariances[] = {16.5582472567179, 88.6337768743402, 461.96055291056};
  for (int depth = 1; depth <= 3; ++depth) {
    expect_twelve_digits(at_published_pair({.depth = depth, .normalised = false}).covariance,
                         covariances[depth - 1]);
  }
  const PairValues third = at_published_pair({.depth = 3, .normalised = false});
  expect_twelve_digits(third.first_variance, 527.8);
  expect_twelve_digits(third.second_variance, 611.133333333333);
  // K^0 = 11.3 at the corner, K^l = 1.3 + 5 K^(l-1): 57.8, 290.3, 1452.8.
  const PairValues normalised = at_published_pair({.depth = 3});
  expect_twelve_digits(normalised.covariance, 461.96055291056 / 1452.8);
  expect_twelve_digits(normalised.first_variance, 527.8 / 1452.8);
}

TEST(NetworkKernel, MatchesTheFormulaForErf) {
  // Computed from the formula in Python with double precision.
  const PairValues expected[] = {{5.341302885512491, 8.235533421823565, 8.447951613755718},
                                 {5.429698998510714, 9.135642543254251, 9.161734297563187},
                                 {5.1050563413171615, 9.240148582635069, 9.242956291054904}};
  for (int depth = 1; depth <= 3; ++depth) {
    const PairValues values = at_published_pair(
        {.depth = depth, .activation = KernelOptions::Activation::erf, .normalised = false});
    expect_twelve_digits(values.covariance, expected[depth - 1].covariance);
    expect_twelve_digits(values.first_variance, expected[depth - 1].first_variance);
    expect_twelve_digits(values.second_variance, expected[depth - 1].second_variance);
  }
}

TEST(NetworkKernel, NormalisedIsOneAtTheCornerAndAtMostOneElsewhere) {
  for_network_cases([](NetworkCase c) {
    c.network.normalised = true;
    const KernelHandle kernel = network_kernel(c.network);
    EXPECT_NEAR(kernel->variance(view(Vector::Ones(c.x.size())), c.theta), 1.0, 1e-15);
    EXPECT_LE(kernel->variance(view(c.x), c.theta), 1.0);
    EXPECT_GT(kernel->variance(view(Vector::Zero(c.x.size())), c.theta), 0.0);
  });
}

TEST(NetworkKernel, TheVarianceIsTheCovarianceOfAPointWithItself) {
  for_network_cases([](const NetworkCase& c) {
    const KernelHandle kernel = network_kernel(c.network);
    const Vector x = c.data.point(0);
    PaddedMatrix encoded;
    kernel->encode(c.data.inputs(), c.theta, encoded);
    Vector k = Vector::Zero(encoded.padded_rows());
    kernel->covariances(encoded, view(x), c.theta, k.data(), nullptr);
    EXPECT_NEAR(k[0], kernel->variance(view(x), c.theta), 1e-13 * c.prior);
  });
}

TEST(NetworkKernel, HasTwoParametersInAnyDimension) {
  for (const bool ard : {false, true}) {
    EXPECT_EQ(parameter_count({.family = KernelOptions::Family::network, .ard = ard}, 7), 2);
  }
}

// --- the objective -----------------------------------------------------------------------------

TEST(NetworkObjective, IsTheSumOfOneStepAheadLossesAndItsGradientMatchesDifferences) {
  for_network_cases(test::expect_objective_with_gradient<NetworkCase>);
}

// --- the posterior -----------------------------------------------------------------------------

TEST(NetworkPosterior, MatchesADirectEvaluation) {
  for_network_cases([](const NetworkCase& c) {
    test::expect_dense_moments_at(c, {c.x, c.data.point(0), Vector::Zero(c.x.size())});
  });
}

TEST(NetworkPosterior, GradientsMatchCentralDifferences) {
  for_network_cases(test::expect_posterior_gradients<NetworkCase>);
}

TEST(NetworkPosterior, GradientsAreFiniteAtAnObservationAndAtTheOrigin) {
  for_network_cases([](const NetworkCase& c) {
    Posterior posterior = c.posterior();
    const Vector origin = Vector::Zero(c.x.size());
    for (const Vector& x : {c.data.point(0), origin}) {
      const LocalPrediction predicted = test::predicted_at(posterior, x);
      for (const double slope : predicted.mean_gradient) EXPECT_TRUE(std::isfinite(slope));
      for (const double slope : predicted.variance_gradient) EXPECT_TRUE(std::isfinite(slope));
    }
  });
}

TEST(NetworkPosterior, BatchEqualsOneByOne) {
  for_network_cases([](const NetworkCase& c) {
    test::expect_batch_as_one_by_one(c, test::random_batch(11, c.x.size()));
  });
}

TEST(NetworkPosterior, PendingPointEqualsTellingTheMean) {
  for_network_cases([](const NetworkCase& c) {
    Posterior posterior = c.posterior();
    NetworkCase told = c;
    // This adds more points than a tile has rows.
    for (int i = 0; i < 10; ++i) {
      const Vector pending = Vector::Constant(c.x.size(), 0.05 + 0.1 * i);
      const double mean = posterior.at(view(pending)).mean;
      posterior.condition_on_pending(view(pending));
      const Index n = told.size();
      told.data.X.conservativeResize(n + 1, Eigen::NoChange);
      told.data.X.row(n) = pending.transpose();
      told.data.y.conservativeResize(n + 1);
      told.data.y[n] = mean;
    }
    test::expect_same_moments(posterior.at(view(c.x)), told.dense_moments(told.size(), c.x),
                              c.prior);
  });
}

TEST(NetworkPosterior, LeaveOneOutMatchesPredictingTheLastPointFromTheOthers) {
  for_network_cases([](const NetworkCase& c) {
    const Index last = c.size() - 1;
    Moments expected = c.dense_moments(last, c.data.point(last));
    expected.variance += c.noise;
    test::expect_same_moments(c.posterior().leave_one_out().back(), expected, c.prior);
  });
}

TEST(NetworkPosterior, EqualPointsWithAlmostNoNoiseNeedAJitterOfTheirScale) {
  test::Data data{.X = Matrix::Ones(5, 2), .y = Vector::Ones(5)};
  Posterior posterior(network_kernel({.depth = 3, .normalised = false}), 1e-16);
  const numeric::FactorOutcome outcome = posterior.fit(data.inputs(), data.y, Vector{{10.0, 1.3}});
  EXPECT_TRUE(outcome.ok);
  EXPECT_DOUBLE_EQ(outcome.jitter, 1e-8 * 1452.8);  // the variance at the corner
  const Vector x = data.point(0);
  EXPECT_NEAR(posterior.at(view(x)).mean, 1.0, 1e-6);
}

}  // namespace
}  // namespace oscbo::gp
