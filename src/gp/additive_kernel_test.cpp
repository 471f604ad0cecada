#include "gp/additive_kernel.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "gp/gp_test_support.hpp"
#include "gp/lengthscale_objective.hpp"
#include "gp/posterior.hpp"

namespace oscbo::gp {
namespace {

using test::derivative;
using test::view;

KernelHandle additive_kernel(KernelShape shape) {
  return std::make_shared<AdditiveKernel>(RadialProfile(shape));
}

/// A random problem whose kernel is an additive one. Every fifth has more points than a block.
struct AdditiveCase : test::RandomCase {
  explicit AdditiveCase(std::uint64_t seed) : RandomCase(seed) {
    numeric::RandomStream stream(seed, numeric::Purpose::initial_design, 79);
    const Index d = x.size();
    if (shape == KernelShape::matern12) shape = KernelShape::matern52;  // has no gradient at 0
    theta = Vector::NullaryExpr(2 * d + 1, [&] { return 0.15 + 1.5 * stream.uniform(); });
    if (seed % 5 != 0) return;
    constexpr Index kMany = 75;
    data.X = test::Matrix::NullaryExpr(kMany, d, [&] { return stream.uniform(); });
    data.y = Vector::NullaryExpr(kMany, [&] { return stream.normal(); });
    weights = Vector::NullaryExpr(kMany, [&] { return stream.uniform(); });
    pivot_weights = Vector::NullaryExpr(kMany, [&] { return stream.uniform(); });
  }

  [[nodiscard]] double dense(const Vector& a, const Vector& b) const {
    const Index d = a.size();
    const double w = theta[2 * d];
    double singles = 0.0;
    for (Index k = 0; k < d; ++k) {
      singles +=
          test::dense_kernel(shape, a.segment(k, 1), b.segment(k, 1), theta.segment(d + k, 1)) /
          static_cast<double>(d);
    }
    const double joint = d == 1 ? test::dense_kernel(shape, a, b, theta.head(1))
                                : test::dense_kernel(shape, a, b, theta.head(d));
    return (joint + w * singles) / (1.0 + w);
  }

  [[nodiscard]] Moments dense_moments(Index n, const Vector& at) const {
    return test::dense_moments(
        data, n, noise, [this](const Vector& a, const Vector& b) { return dense(a, b); }, at);
  }

  [[nodiscard]] Posterior posterior() const {
    Posterior result(additive_kernel(shape), noise);
    EXPECT_TRUE(result.fit(data.inputs(), data.y, theta).ok);
    return result;
  }
};

template <class Check>
void for_additive_cases(Check&& check) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "additive case " << seed);
    check(AdditiveCase(seed));
  }
}

TEST(AdditiveKernel, IsTheMeanOfItsPartsByTheirWeights) {
  // By hand: RBF with all lengthscales 1, weight 3, points (0, 0) and (1, 2).
  Inputs inputs(2);
  inputs.append(std::vector{0.0, 0.0});
  inputs.append(std::vector{1.0, 2.0});
  PaddedMatrix K(2, 2);
  additive_kernel(KernelShape::rbf)->matrix(inputs, Vector{{1.0, 1.0, 1.0, 1.0, 3.0}}, K);
  EXPECT_NEAR(K(1, 0), (std::exp(-2.5) + 3.0 * (std::exp(-0.5) + std::exp(-2.0)) / 2.0) / 4.0,
              1e-15);
  EXPECT_NEAR(K(0, 0), 1.0, 1e-15);
}

TEST(AdditiveObjective, IsTheSumOfOneStepAheadLossesAndItsGradientMatchesDifferences) {
  for_additive_cases([](const AdditiveCase& c) {
    const Inputs inputs = c.data.inputs();
    const ObjectiveTerms terms{.log_pivot_weights = c.pivot_weights,
                               .residual_weights = c.weights,
                               .exponent = c.exponent};
    LengthscaleObjective objective(additive_kernel(c.shape), c.noise);
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

    for (Index k = 0; k < c.theta.size(); ++k) {
      const double difference = derivative(1e-3 * c.theta[k], [&](double step) {
        Vector theta = c.theta;
        theta[k] += step;
        return objective.value(theta);
      });
      EXPECT_NEAR(gradient[k], difference, 1e-6 * std::max(1.0, std::abs(gradient[k]))) << k;
    }
  });
}

void expect_equal(const Moments& actual, const Moments& expected) {
  EXPECT_NEAR(actual.mean, expected.mean, 1e-8);
  EXPECT_NEAR(actual.variance, expected.variance, 1e-9);
}

TEST(AdditivePosterior, MatchesADirectEvaluation) {
  for_additive_cases([](const AdditiveCase& c) {
    Posterior posterior = c.posterior();
    for (const Vector& x : {c.x, c.data.point(0)}) {
      expect_equal(posterior.at(view(x)), c.dense_moments(c.size(), x));
    }
  });
}

TEST(AdditivePosterior, GradientsMatchCentralDifferences) {
  for_additive_cases([](const AdditiveCase& c) {
    Posterior posterior = c.posterior();
    const auto d = static_cast<std::size_t>(c.x.size());
    std::vector<double> mean_gradient(d);
    std::vector<double> variance_gradient(d);
    expect_equal(posterior.at(view(c.x), mean_gradient, variance_gradient),
                 posterior.at(view(c.x)));
    for (std::size_t k = 0; k < d; ++k) {
      const auto difference = [&](double Moments::*member) {
        return derivative(1e-4, [&](double step) {
          Vector x = c.x;
          x[static_cast<Index>(k)] += step;
          return posterior.at(view(x)).*member;
        });
      };
      EXPECT_NEAR(mean_gradient[k], difference(&Moments::mean),
                  1e-6 * std::max(1.0, std::abs(mean_gradient[k])));
      EXPECT_NEAR(variance_gradient[k], difference(&Moments::variance),
                  1e-6 * std::max(1.0, std::abs(variance_gradient[k])));
    }
  });
}

TEST(AdditivePosterior, BatchEqualsOneByOne) {
  for_additive_cases([](const AdditiveCase& c) {
    Posterior posterior = c.posterior();
    constexpr Index kCount = 70;
    PredictionBatch batch;
    batch.resize(kCount, c.x.size());
    numeric::RandomStream stream(1, numeric::Purpose::raw_samples);
    for (Index i = 0; i < kCount; ++i) {
      for (Index k = 0; k < c.x.size(); ++k) batch.points(i, k) = stream.uniform();
    }
    posterior.at_batch(batch);
    for (Index i = 0; i < kCount; ++i) {
      Vector x(c.x.size());
      for (Index k = 0; k < x.size(); ++k) x[k] = batch.points(i, k);
      expect_equal({.mean = batch.means[i], .variance = batch.variances[i]}, posterior.at(view(x)));
    }
  });
}

TEST(AdditivePosterior, ConditionsOnPendingPoints) {
  for_additive_cases([](const AdditiveCase& c) {
    Posterior posterior = c.posterior();
    const Moments before = posterior.at(view(c.x));
    posterior.condition_on_pending(view(c.x));
    const Moments after = posterior.at(view(c.x));
    EXPECT_NEAR(after.mean, before.mean, 1e-9);
    // One more observation with this noise: 1/var' = 1/var + 1/noise.
    EXPECT_NEAR(after.variance, 1.0 / (1.0 / before.variance + 1.0 / c.noise), 1e-8);
  });
}

}  // namespace
}  // namespace oscbo::gp
