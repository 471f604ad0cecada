#include "numeric/box_minimiser.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "numeric/numeric_test_support.hpp"

namespace oscbo::numeric {
namespace {

using test::rosenbrock;

constexpr BoxMinimiserSettings kPatient{
    .max_iterations = 500, .gradient_tolerance = 1e-9, .value_tolerance = 0.0};

TEST(BoxMinimiser, FollowsACurvedValleyToItsEnd) {
  Vector x{{-1.2, 1.0}};
  const double value = BoxMinimiser(kPatient).minimise(rosenbrock, Vector::Constant(2, -5.0),
                                                       Vector::Constant(2, 5.0), x);
  EXPECT_NEAR(value, 0.0, 1e-14);
  EXPECT_NEAR(x[0], 1.0, 1e-7);
  EXPECT_NEAR(x[1], 1.0, 1e-7);
}

// On x_0 <= 1/2 the minimum is at the wall, where the slope along it vanishes: (1/2, 1/4).
TEST(BoxMinimiser, StopsAtTheWallIfTheMinimumIsBeyondIt) {
  Vector x{{-1.2, 1.0}};
  BoxMinimiser(kPatient).minimise(rosenbrock, Vector::Constant(2, -5.0), Vector{{0.5, 5.0}}, x);
  EXPECT_EQ(x[0], 0.5);
  EXPECT_NEAR(x[1], 0.25, 1e-7);
}

TEST(BoxMinimiser, KeepsAVariableThatHasASingleValue) {
  Vector x{{0.25, 0.9}};
  BoxMinimiser(kPatient).minimise(rosenbrock, Vector{{0.25, -5.0}}, Vector{{0.25, 5.0}}, x);
  EXPECT_EQ(x[0], 0.25);
  EXPECT_NEAR(x[1], 0.0625, 1e-9);
}

TEST(BoxMinimiser, NeedsFewEvaluationsInTheValley) {
  int evaluations = 0;
  Vector x{{-1.2, 1.0}};
  BoxMinimiser(kPatient).minimise(
      [&](const Vector& at, Vector& gradient) {
        ++evaluations;
        return rosenbrock(at, gradient);
      },
      Vector::Constant(2, -5.0), Vector::Constant(2, 5.0), x);
  EXPECT_LT(evaluations, 100);
}

TEST(BoxMinimiser, MinimisesOverVeryManyVariables) {
  const Index d = 4 * BoxSearch::kMostDense;
  const auto bowl = [](const Vector& x, Vector& gradient) {
    double value = 0.0;
    for (Index k = 0; k < x.size(); ++k) {
      const double weight = 1.0 + static_cast<double>(k % 7);
      value += weight * (x[k] - 0.3) * (x[k] - 0.3);
      gradient[k] = 2.0 * weight * (x[k] - 0.3);
    }
    return value;
  };
  Vector x = Vector::Constant(d, 0.9);
  const double value = BoxMinimiser(kPatient).minimise(bowl, Vector::Zero(d), Vector::Ones(d), x);
  EXPECT_LT(value, 1e-12);
}

TEST(BoxMinimiser, TurnsBackWhereTheFunctionIsNotANumber) {
  const auto half_defined = [](const Vector& x, Vector& gradient) {
    gradient[0] = x[0] > 0.3 ? 2.0 * (x[0] - 0.4) : 1.0;
    return x[0] > 0.3 ? (x[0] - 0.4) * (x[0] - 0.4) : std::numeric_limits<double>::quiet_NaN();
  };
  Vector x{{0.9}};
  BoxMinimiser(kPatient).minimise(half_defined, Vector::Zero(1), Vector::Ones(1), x);
  EXPECT_NEAR(x[0], 0.4, 1e-8);
}

TEST(BoxMinimiser, EndsAtOnceWithoutASlope) {
  int evaluations = 0;
  Vector x{{0.5, 0.5}};
  const auto flat = [&](const Vector& /*x*/, Vector& gradient) {
    ++evaluations;
    gradient.setZero();
    return 3.0;
  };
  EXPECT_EQ(BoxMinimiser(kPatient).minimise(flat, Vector::Zero(2), Vector::Ones(2), x), 3.0);
  EXPECT_EQ(evaluations, 1);
}

TEST(BoxMinimiser, TakesNoStepLongerThanAllowed) {
  Vector previous{{-1.2, 1.0}};
  double longest = 0.0;
  Vector x = previous;
  BoxMinimiser({.max_iterations = 1, .largest_step = 0.05})
      .minimise(
          [&](const Vector& at, Vector& gradient) {
            longest = std::max(longest, (at - previous).cwiseAbs().maxCoeff());
            return rosenbrock(at, gradient);
          },
          Vector::Constant(2, -5.0), Vector::Constant(2, 5.0), x);
  EXPECT_GT(longest, 0.0);
  EXPECT_LE(longest, 0.05);
}

}  // namespace
}  // namespace oscbo::numeric
