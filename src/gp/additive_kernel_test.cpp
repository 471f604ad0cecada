#include "gp/additive_kernel.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "gp/kernel_checks_test_support.hpp"

namespace oscbo::gp {
namespace {

using test::view;

KernelHandle additive_kernel(KernelShape shape, Index dimension) {
  return std::make_shared<AdditiveKernel>(RadialProfile(shape), Layout::plain(dimension));
}

/// A random problem with an additive kernel. Every fifth has more points than a block.
struct AdditiveCase : test::RandomCase {
  explicit AdditiveCase(std::uint64_t seed) : RandomCase(seed) {
    numeric::RandomStream stream(seed, numeric::Purpose::initial_design, 79);
    const Index d = x.size();
    // Matern-1/2 has no gradient at 0.
    if (shape == KernelShape::matern12) shape = KernelShape::matern52;
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

  [[nodiscard]] KernelHandle kernel() const { return additive_kernel(shape, x.size()); }

  [[nodiscard]] Posterior posterior() const {
    Posterior result(kernel(), noise);
    EXPECT_TRUE(result.fit(data.inputs(), data.y, theta).ok);
    return result;
  }

  double prior = 1.0;
};

template <class Check>
void for_additive_cases(Check&& check) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "additive case " << seed);
    check(AdditiveCase(seed));
  }
}

TEST(AdditiveKernel, IsTheWeightedMeanOfItsParts) {
  // By hand: RBF with all lengthscales 1, weight 3, points (0, 0) and (1, 2).
  Inputs inputs(2);
  inputs.append(std::vector{0.0, 0.0});
  inputs.append(std::vector{1.0, 2.0});
  PaddedMatrix K(2, 2);
  additive_kernel(KernelShape::rbf, 2)->matrix(inputs, Vector{{1.0, 1.0, 1.0, 1.0, 3.0}}, K);
  EXPECT_NEAR(K(1, 0), (std::exp(-2.5) + 3.0 * (std::exp(-0.5) + std::exp(-2.0)) / 2.0) / 4.0,
              1e-15);
  EXPECT_NEAR(K(0, 0), 1.0, 1e-15);
}

// exp(sqrt(5) / 1e-3 / 2) overflows, so each pair computes its own exponential. In the other
// coordinate the exponentials are products.
TEST(AdditiveKernel, IsTheSameWithLengthscalesTooShortForProducts) {
  for_additive_cases([](AdditiveCase c) {
    const Index d = c.x.size();
    c.theta[d] = 1e-3;
    c.data.X.col(0) = (0.4 + 0.001 * c.data.X.col(0).array()).matrix();
    const Inputs inputs = c.data.inputs();
    PaddedMatrix K(c.size(), c.size());
    c.kernel()->matrix(inputs, c.theta, K);
    for (Index j = 0; j < c.size(); ++j) {
      for (Index i = j; i < c.size(); ++i) {
        EXPECT_NEAR(K(i, j), c.dense(c.data.point(i), c.data.point(j)), 1e-12);
      }
    }
    Posterior posterior = c.posterior();
    for (const double x : {0.4005, 5.0, -3.0}) {  // also if the products of the points fit
      c.x[0] = x;
      c.x[d - 1] = x;
      test::expect_same_moments(posterior.at(view(c.x)), c.dense_moments(c.size(), c.x), c.prior);
    }
  });
}

TEST(AdditiveObjective, IsTheSumOfOneStepAheadLossesAndItsGradientMatchesDifferences) {
  for_additive_cases(test::expect_objective_with_gradient<AdditiveCase>);
}

TEST(AdditivePosterior, MatchesADirectEvaluation) {
  for_additive_cases([](const AdditiveCase& c) {
    test::expect_dense_moments_at(c, {c.x, c.data.point(0)});
  });
}

TEST(AdditivePosterior, GradientsMatchCentralDifferences) {
  for_additive_cases(test::expect_posterior_gradients<AdditiveCase>);
}

TEST(AdditivePosterior, BatchEqualsOneByOne) {
  for_additive_cases([](const AdditiveCase& c) {
    test::expect_batch_as_one_by_one(c, test::random_batch(70, c.x.size()));
  });
}

TEST(AdditivePosterior, ConditionsOnPendingPoints) {
  for_additive_cases([](const AdditiveCase& c) {
    Posterior posterior = c.posterior();
    const Moments before = posterior.at(view(c.x));
    posterior.condition_on_pending(view(c.x));
    const Moments after = posterior.at(view(c.x));
    EXPECT_NEAR(after.mean, before.mean, 1e-9);
    // One more observation with this noise has the effect 1/var' = 1/var + 1/noise.
    EXPECT_NEAR(after.variance, 1.0 / (1.0 / before.variance + 1.0 / c.noise), 1e-8);
  });
}

}  // namespace
}  // namespace oscbo::gp
