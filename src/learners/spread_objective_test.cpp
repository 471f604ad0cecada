#include "learners/spread_objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "learners/learners_test_support.hpp"

namespace oscbo::learners {
namespace {

using gp::KernelShape;
using gp::test::Data;
using gp::test::RandomCase;
using test::DenseSpread;
using test::one;

constexpr double kDelta = 0.1;

/// A random case with its last points held out. Their values serve as residuals.
struct SpreadCase {
  explicit SpreadCase(const RandomCase& random)
      : c(random), held_out(std::max<Index>(2, c.size() / 4)), points(c.data.inputs()) {}

  [[nodiscard]] Vector residuals() const { return c.data.y.tail(held_out); }

  [[nodiscard]] SpreadObjective objective(SharpOptions::Quantile rule,
                                          gp::KnownNoise known = {}) const {
    const Vector r = residuals();
    const double noise = known.empty() ? c.noise : 123.0;
    return {
        gp::stationary_kernel(c.shape), noise, points, {r.begin(), r.end()}, kDelta, rule, known};
  }

  [[nodiscard]] DenseSpread dense(const Vector& theta) const {
    return {c.data, c.shape, theta, c.noise, residuals()};
  }

  RandomCase c;
  Index held_out;
  gp::Inputs points;
};

/// Runs `check` on random cases of at least five points.
template <class Check>
void for_spread_cases(int count, Check&& check) {
  gp::test::for_random_cases(count, [&](const RandomCase& random) {
    if (random.size() >= 5) check(SpreadCase(random));
  });
}

TEST(SpreadObjective, IsTheMeanSquaredWidthByDefinition) {
  for (const SharpOptions::Quantile rule :
       {SharpOptions::Quantile::linear, SharpOptions::Quantile::conformal}) {
    for_spread_cases(60, [&](const SpreadCase& spread) {
      SpreadObjective objective = spread.objective(rule);
      Vector gradient(spread.c.theta.size());
      const double value = objective.value_and_gradient(spread.c.theta, gradient);
      const DenseSpread dense = spread.dense(spread.c.theta);
      const double beta =
          rule == SharpOptions::Quantile::linear ? dense.linear(kDelta) : dense.conformal(kDelta);
      EXPECT_NEAR(objective.multiplier(), beta, 1e-9 * (1.0 + std::abs(beta)));
      EXPECT_NEAR(value, dense.objective(beta), 1e-9 * (1.0 + value));
    });
  }
}

// Two training points are so far away that they carry no information, so sigma^2 = 1 + s2
// everywhere. The quantile at position 0.9 * 2 = 1.8 combines the two larger of the three ratios.
TEST(SpreadObjective, AgreesWithAComputationByHand) {
  gp::Inputs points(1);
  for (const double x : {1e6, 2e6, 0.1, 0.5, 0.9}) points.append(std::vector<double>{x});
  SpreadObjective objective(gp::stationary_kernel(KernelShape::matern52), 0.21, points,
                            {1.1, -2.2, 3.3}, kDelta, SharpOptions::Quantile::linear);
  Vector gradient(1);
  const double value = objective.value_and_gradient(one(0.5), gradient);
  EXPECT_NEAR(objective.multiplier(), 0.2 * 1.0 + 0.8 * 3.0, 1e-12);
  EXPECT_NEAR(value, 2.6 * 2.6 * 1.21, 1e-12);
  EXPECT_NEAR(gradient[0], 0.0, 1e-12);
}

/// Tells whether the ratios keep their order within `step` of theta. Then F is smooth there.
bool smooth_around(const SpreadCase& spread, double step) {
  const std::vector<Index> order = spread.dense(spread.c.theta).order();
  for (Index k = 0; k < spread.c.theta.size(); ++k) {
    for (const double sign : {-1.0, 1.0}) {
      Vector theta = spread.c.theta;
      theta[k] += sign * step;
      if (spread.dense(theta).order() != order) return false;
    }
  }
  return true;
}

TEST(SpreadObjective, GradientAgreesWithCentralDifferences) {
  constexpr double kStep = 1e-5;
  int isotropic = 0;
  int ard = 0;
  for (const SharpOptions::Quantile rule :
       {SharpOptions::Quantile::linear, SharpOptions::Quantile::conformal}) {
    for_spread_cases(80, [&](const SpreadCase& spread) {
      if (!smooth_around(spread, kStep)) return;
      ++(spread.c.theta.size() > 1 ? ard : isotropic);
      SpreadObjective objective = spread.objective(rule);
      Vector gradient(spread.c.theta.size());
      Vector unused(spread.c.theta.size());
      objective.value_and_gradient(spread.c.theta, gradient);
      for (Index k = 0; k < gradient.size(); ++k) {
        Vector above = spread.c.theta;
        Vector below = spread.c.theta;
        above[k] += kStep;
        below[k] -= kStep;
        const double difference = (objective.value_and_gradient(above, unused) -
                                   objective.value_and_gradient(below, unused)) /
                                  (2.0 * kStep);
        EXPECT_NEAR(gradient[k], difference, 1e-6 * (1.0 + std::abs(difference)));
      }
    });
  }
  EXPECT_GT(isotropic, 40);
  EXPECT_GT(ard, 40);
}

TEST(SpreadObjective, UsesKnownNoise) {
  for_spread_cases(20, [](const SpreadCase& spread) {
    Vector gradient(spread.c.theta.size());
    Vector expected_gradient(spread.c.theta.size());
    const double expected = spread.objective(SharpOptions::Quantile::linear)
                                .value_and_gradient(spread.c.theta, expected_gradient);
    std::vector<double> noise = test::known_noise(spread.c.size(), spread.c.noise);
    EXPECT_EQ(spread.objective(SharpOptions::Quantile::linear, noise)
                  .value_and_gradient(spread.c.theta, gradient),
              expected);
    EXPECT_EQ(gradient, expected_gradient);
    // The first entry is a training point, and the last one is a calibration point.
    for (const std::size_t entry : {std::size_t{0}, noise.size() - 1}) {
      std::vector<double> other = noise;
      other[entry] *= 100.0;
      EXPECT_NE(spread.objective(SharpOptions::Quantile::linear, other)
                    .value_and_gradient(spread.c.theta, gradient),
                expected);
    }
  });
}

TEST(SpreadObjective, CountsFactorizations) {
  const SpreadCase spread(RandomCase(3));
  SpreadObjective objective = spread.objective(SharpOptions::Quantile::linear);
  Vector gradient(spread.c.theta.size());
  for (int i = 0; i < 3; ++i) objective.value_and_gradient(spread.c.theta, gradient);
  EXPECT_EQ(objective.evaluations(), 3);
}

TEST(SpreadObjective, IsInfiniteAndFlatIfTheMatrixIsNaN) {
  const SpreadCase spread(RandomCase(3));
  SpreadObjective objective = spread.objective(SharpOptions::Quantile::linear);
  Vector gradient = Vector::Ones(spread.c.theta.size());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(objective.value_and_gradient(Vector::Constant(spread.c.theta.size(), nan), gradient),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(gradient, Vector::Zero(spread.c.theta.size()));
}

}  // namespace
}  // namespace oscbo::learners
