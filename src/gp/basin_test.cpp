#include "gp/basin.hpp"

#include <gtest/gtest.h>

#include "gp/gp_test_support.hpp"
#include "gp/stationary_kernel.hpp"

namespace oscbo::gp {
namespace {

/// A mean on a line with two hills, at 0.25 and 0.75, and a valley between them.
Posterior two_hills() {
  Inputs inputs(1);
  std::vector<double> values;
  for (int i = 0; i <= 20; ++i) {
    const double x = i / 20.0;
    inputs.append(std::vector{x});
    values.push_back(std::exp(-100.0 * (x - 0.25) * (x - 0.25)) +
                     0.8 * std::exp(-100.0 * (x - 0.75) * (x - 0.75)));
  }
  Posterior posterior(stationary_kernel(KernelShape::matern52), 1e-6);
  const Vector y = Eigen::Map<const Vector>(values.data(), 21);
  EXPECT_TRUE(posterior.fit(inputs, y, Vector::Constant(1, 0.2)).ok);
  return posterior;
}

bool contains(const Basin& basin, double x) { return basin.contains(std::vector{x}); }

TEST(Basin, ContainsItsOwnHillAndNotTheOther) {
  const Basin basin(two_hills().mean_function(), {0.25}, Vector::Constant(1, 0.2));
  for (const double x : {0.1, 0.2, 0.25, 0.3, 0.4, 0.45}) EXPECT_TRUE(contains(basin, x)) << x;
  for (const double x : {0.55, 0.6, 0.75, 0.9, 1.0}) EXPECT_FALSE(contains(basin, x)) << x;
}

// The limit is 14 steps of 0.12 lengthscales plus the last 0.3 to the summit: 1.98 lengthscales.
TEST(Basin, EndsWhereThePathToTheSummitIsLong) {
  const Basin basin(two_hills().mean_function(), {0.25}, Vector::Constant(1, 0.05));
  EXPECT_TRUE(contains(basin, 0.25 + 1.9 * 0.05));
  EXPECT_FALSE(contains(basin, 0.25 + 2.1 * 0.05));
}

TEST(Basin, ReachesASummitOnTheBoundary) {
  Inputs inputs(2);
  Vector y(9);
  for (Index i = 0; i < 9; ++i) {
    const double a = static_cast<double>(i % 3) / 2.0;
    const double b = static_cast<double>(i / 3) / 2.0;
    inputs.append(std::vector{a, b});
    y[i] = a + 0.1 * b;
  }
  Posterior posterior(stationary_kernel(KernelShape::matern52), 1e-6);
  ASSERT_TRUE(posterior.fit(inputs, y, Vector::Ones(1)).ok);
  const Basin basin(posterior.mean_function(), {1.0, 1.0}, Vector::Ones(2));
  EXPECT_TRUE(basin.contains(std::vector{1.0, 0.6}));
  EXPECT_TRUE(basin.contains(std::vector{0.6, 1.0}));
}

TEST(Basin, ContainsOnlyItsSummitOnAPlateau) {
  Inputs inputs(1);
  inputs.append(std::vector{0.5});
  Posterior posterior(stationary_kernel(KernelShape::matern52), 1e-6);
  ASSERT_TRUE(posterior.fit(inputs, Vector::Zero(1), Vector::Constant(1, 0.1)).ok);
  const Basin basin(posterior.mean_function(), {0.5}, Vector::Constant(1, 0.1));
  EXPECT_TRUE(contains(basin, 0.5));
  EXPECT_FALSE(contains(basin, 0.6));
}

TEST(MeanFunction, HasTheGradientOfItsPosterior) {
  Posterior posterior = two_hills();
  const MeanFunction mean = posterior.mean_function();
  MeanFunction::Workspace workspace;
  for (const double x : {0.0, 0.123, 0.5, 0.987}) {
    const double expected =
        test::predicted_at(posterior, Vector::Constant(1, x)).mean_gradient.front();
    std::vector<double> gradient(1);
    mean.gradient(std::vector{x}, gradient, workspace);
    EXPECT_NEAR(gradient[0], expected, 1e-12 * std::max(1.0, std::abs(expected)));
  }
}

TEST(Posterior, FittedMeansEqualPredictions) {
  Posterior posterior = two_hills();
  const Vector fitted = posterior.fitted_means();
  ASSERT_EQ(fitted.size(), 21);
  for (Index i = 0; i <= 20; ++i) {
    const double x = static_cast<double>(i) / 20.0;
    EXPECT_NEAR(fitted[i], posterior.at(std::vector{x}).mean, 1e-9);
  }
}

}  // namespace
}  // namespace oscbo::gp
