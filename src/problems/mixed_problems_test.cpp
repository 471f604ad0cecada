#include "problems/mixed_problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/test_support.hpp"
#include "numeric/box_minimiser.hpp"
#include "numeric/random_stream.hpp"
#include "problems/functions.hpp"
#include "problems/sample_names_test_support.hpp"
#include "problems/space_draws_test_support.hpp"

namespace oscbo {
namespace {

using numeric::Purpose;
using numeric::RandomStream;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double value_of(std::string_view task, const std::vector<double>& x) {
  return make_problem(task).value(x);
}

bool is_acceptable(const Problem& problem, const std::vector<double>& x) {
  return !problem.outcomes || problem.accepts(problem.outcomes(x));
}

class MixedProblem : public testing::TestWithParam<std::string> {
 protected:
  Problem problem = make_problem(GetParam());
  double rounding = 1e-14 * (1.0 + std::abs(problem.maximum));
};

TEST_P(MixedProblem, AttainsItsMaximumAtAnAcceptablePoint) {
  EXPECT_EQ(problem.name, GetParam());
  EXPECT_NO_THROW(problem.space.check(problem.maximiser));
  EXPECT_NEAR(problem.value(problem.maximiser), problem.maximum, rounding);
  EXPECT_TRUE(is_acceptable(problem, problem.maximiser));
}

TEST_P(MixedProblem, NoRandomPointIsBetter) {
  RandomStream stream(1, Purpose::raw_samples);
  int acceptable = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::vector<double> x = i % 2 == 0
                                      ? random_point_of(problem.space, stream)
                                      : random_point_near(problem.space, problem.maximiser, stream);
    if (!is_acceptable(problem, x)) continue;
    ++acceptable;
    ASSERT_LE(problem.value(x), problem.maximum + rounding) << problem.space.describe(x);
  }
  EXPECT_GT(acceptable, 20'000);
}

TEST_P(MixedProblem, RefusesPointsOutsideItsSpace) {
  const std::vector<double> outside(problem.space.dimension(), 1e6);
  const std::vector<double> shorter(problem.space.dimension() - 1, 0.5);
  for (const std::vector<double>& x : {outside, shorter}) {
    const Error error = error_of([&] { static_cast<void>(problem.value(x)); });
    EXPECT_EQ(error.code(), ErrorCode::invalid_value);
    EXPECT_TRUE(error.field().starts_with('x')) << error.what();
    if (problem.outcomes) {
      EXPECT_THROW(problem.outcomes(x), Error);
    }
    if (problem.fails) {
      EXPECT_THROW(problem.fails(x, 0, 0), Error);
    }
  }
}

TEST_P(MixedProblem, HasTheSameDeclarationAsJson) {
  EXPECT_EQ(Space::from_json(problem.space.to_json()).to_json(), problem.space.to_json());
}

std::vector<std::string> mixed_names() {
  std::vector<std::string> names;
  for (const ProblemInfo& info : mixed::mixed_problems()) names.push_back(info.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Problems, MixedProblem, testing::ValuesIn(mixed_names()),
                         test::name_of_sample);

// --- the formulas --------------------------------------------------------------------------------

TEST(MixedFormulas, LevelsAndIntegersEvaluateTheOriginalFunctions) {
  const std::vector<double> x = {0.5, 0.1, 0.2, 0.75, 0.3, 0.4};
  EXPECT_EQ(value_of("hartmann6-levels", x), functions::hartmann6(x));
  const std::vector<double> z = {-32.0, 0.0, 30.0, 0.5, -32.768};
  EXPECT_EQ(value_of("ackley5-int", z), functions::ackley(z));
  EXPECT_THROW(value_of("hartmann6-levels", {0.3, 0.1, 0.2, 0.75, 0.3, 0.4}), Error);
  EXPECT_THROW(value_of("ackley5-int", {0.5, 0.0, 30.0, 0.5, 0.0}), Error);
}

TEST(MixedFormulas, LevyUsesFiveTimesTheDecimalLogarithm) {
  const std::vector<double> native = {-5.0, 2.0, 3.0, 4.0, 5.0};
  EXPECT_NEAR(value_of("levy5-log", {0.1, 2.0, 3.0, 4.0, 5.0}), functions::levy(native), 1e-13);
}

// Region a is the third of the four, b the first, c the fourth and d the second. Each has length
// 3.75.
TEST(MixedFormulas, BraninsRegionsAreNotInOrder) {
  EXPECT_EQ(value_of("branin-regions", {0.0, 0.0, 4.0}), functions::branin(std::array{2.5, 4.0}));
  EXPECT_EQ(value_of("branin-regions", {1.0, 0.0, 4.0}), functions::branin(std::array{-5.0, 4.0}));
  EXPECT_EQ(value_of("branin-regions", {2.0, 1.0, 4.0}), functions::branin(std::array{10.0, 4.0}));
  EXPECT_EQ(value_of("branin-regions", {3.0, 0.5, 4.0}), functions::branin(std::array{0.625, 4.0}));
}

// At (0, 1, 1, 2) the three terms are 100 + 1, 0 and 100.
TEST(MixedFormulas, RosenbrocksSwitchReplacesTwoTerms) {
  EXPECT_EQ(value_of("rosenbrock4-switch", {1.0, 0.0, 1.0, 1.0, 2.0}), -201.0);
  EXPECT_EQ(value_of("rosenbrock4-switch", {0.0, 0.0, 1.0, 1.0, 2.0}), -121.0);
  EXPECT_EQ(value_of("rosenbrock4-switch", {0.0, 1.0, 1.0, 1.0, 2.0}), -20.0);
}

TEST(MixedFormulas, TwoModelsHaveTheirOwnParameters) {
  EXPECT_NEAR(value_of("two-models", {0.0, std::numbers::pi, 2.275, kNone, kNone, kNone}), -0.5,
              1e-14);
  const double best_of_b = 3.8621573434107988;
  EXPECT_NEAR(value_of("two-models", {1.0, kNone, kNone, 0.5, 0.01, 10.0}),
              functions::hartmann3(std::array{0.5, 0.5, 0.5}) - best_of_b, 1e-15);
  EXPECT_THROW(value_of("two-models", {1.0, 0.0, 0.0, kNone, kNone, kNone}), Error);
}

// A pure component has the value of its coefficient b_i = 1 + w_i (2 m_i - 1) - 3.2 in the
// polynomial. Equal parts of two components have the value (b_i + b_j) / 2 + (w_i + w_j) / 4.
TEST(MixedFormulas, MixtureIsTheScheffePolynomial) {
  EXPECT_NEAR(value_of("mixture5", {0.0, 0.0, 1.0, 0.0, 0.0}), -8.2, 1e-14);
  EXPECT_NEAR(value_of("mixture5", {0.0, 0.0, 0.0, 1.0, 0.0}), -16.2, 1e-14);
  EXPECT_NEAR(value_of("mixture5", {0.0, 0.0, 0.5, 0.5, 0.0}), -12.2 + 7.5, 1e-14);
  EXPECT_THROW(value_of("mixture5", {0.0, 0.0, 0.5, 0.6, 0.0}), Error) << "sums to 1.1";
  EXPECT_THROW(value_of("mixture5", {0.5, 0.0, 0.5, 0.0, 0.0}), Error) << "c1 + c2 > 0.4";
}

TEST(MixedFormulas, MixtureIsLimitedByItsConstraint) {
  const std::vector<double> best = make_problem("mixture5").maximiser;
  EXPECT_NEAR(best[0] + best[1], 0.4, 1e-15);
}

TEST(MixedFormulas, OutcomesMatchThePapers) {
  const Problem gramacy = make_problem("gramacy");
  const std::vector<double> x = {0.5, 0.25};
  EXPECT_EQ(gramacy.value(x), -0.75);
  // 1.5 - 0.5 - 0.5 - sin(-pi / 2) / 2
  EXPECT_NEAR(gramacy.outcomes(x)[0], 1.0, 1e-15);
  EXPECT_EQ(gramacy.outcomes(x)[1], -1.1875);
  EXPECT_FALSE(gramacy.accepts(gramacy.outcomes(x)));
  const Problem gardner = make_problem("gardner");
  EXPECT_EQ(gardner.value(std::vector{0.0, 0.0}), -1.0);
  EXPECT_EQ(gardner.outcomes(std::vector{0.0, 0.0}), std::vector{1.0});
  EXPECT_NEAR(gardner.outcomes(std::vector{1.0, 2.0})[0], std::cos(3.0), 1e-15);
}

TEST(MixedFormulas, NoValueIsLowerThanTheWorst) {
  for (const char* const task : {"gramacy", "gardner", "hartmann6-fails", "branin-fails"}) {
    const Problem problem = make_problem(task);
    RandomStream stream(2, Purpose::raw_samples);
    for (int i = 0; i < 10'000; ++i) {
      ASSERT_GE(problem.value(random_point_of(problem.space, stream)), problem.worst) << task;
    }
  }
}

// --- where evaluations fail ----------------------------------------------------------------------

/// Divides the range of parameter k into 1000 equal parts. Returns how many of their midpoints
/// always fail, and how many sometimes do.
std::array<int, 2> failing_parts(const Problem& problem, std::size_t k) {
  std::array<int, 2> parts = {0, 0};
  const Bounds side = problem.space.bounds()[k];
  std::vector<double> x = problem.maximiser;
  for (int i = 0; i < 1000; ++i) {
    x[k] = side.lower + (side.upper - side.lower) * (i + 0.5) / 1000.0;
    int failures = 0;
    for (std::uint64_t evaluation = 0; evaluation < 100; ++evaluation) {
      failures += problem.fails(x, 1, evaluation) ? 1 : 0;
    }
    if (failures > 0) ++parts[failures == 100 ? 0 : 1];
  }
  return parts;
}

TEST(MixedFailures, CoverAFifthOfTheBoxEach) {
  constexpr std::array<int, 2> kFifths = {200, 200};
  EXPECT_EQ(failing_parts(make_problem("hartmann6-fails"), 1), kFifths);
  EXPECT_EQ(failing_parts(make_problem("branin-fails"), 0), kFifths);
}

/// Returns how many of 10^4 evaluations at x fail, over 100 seeds.
int failures_at(const Problem& problem, const std::vector<double>& x) {
  int failures = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (std::uint64_t evaluation = 0; evaluation < 100; ++evaluation) {
      const bool fails = problem.fails(x, seed, evaluation);
      EXPECT_EQ(fails, problem.fails(x, seed, evaluation));
      failures += fails ? 1 : 0;
    }
  }
  return failures;
}

TEST(MixedFailures, AreRandomCertainOrAbsentAtTheMaximisers) {
  const double kSpread = 4.0 * std::sqrt(10'000 * 0.3 * 0.7);
  const Problem hartmann6 = make_problem("hartmann6-fails");
  EXPECT_NEAR(failures_at(hartmann6, hartmann6.maximiser), 3000, kSpread);
  const Problem branin = make_problem("branin-fails");
  EXPECT_NEAR(failures_at(branin, {-std::numbers::pi, 12.275}), 3000, kSpread);
  EXPECT_EQ(failures_at(branin, {3.0 * std::numbers::pi, 2.475}), 10'000);
  EXPECT_EQ(failures_at(branin, branin.maximiser), 0);
}

// --- the optima that have no closed form ---------------------------------------------------------

/// Returns the largest value found by local searches from 30 random starts in [0, 1]^d.
template <class Function>
double best_of_searches(const Function& function, Eigen::Index d, RandomStream& stream) {
  const auto objective = [&](const numeric::Vector& x, numeric::Vector& gradient) {
    constexpr double kStep = 1e-6;
    for (Eigen::Index k = 0; k < d; ++k) {
      numeric::Vector ahead = x;
      numeric::Vector behind = x;
      ahead[k] += kStep;
      behind[k] -= kStep;
      gradient[k] = -(function(ahead) - function(behind)) / (2.0 * kStep);
    }
    return -function(x);
  };
  numeric::BoxMinimiser minimiser(
      {.max_iterations = 200, .gradient_tolerance = 1e-9, .value_tolerance = 1e-14});
  double best = -std::numeric_limits<double>::infinity();
  for (int start = 0; start < 30; ++start) {
    numeric::Vector x(d);
    for (double& coordinate : x) coordinate = stream.uniform();
    best = std::max(best, -minimiser.minimise(objective, numeric::Vector::Zero(d),
                                              numeric::Vector::Ones(d), x));
  }
  return best;
}

TEST(MixedOptimum, SlowOfHartmann6IsTheBestCombinationOfLevels) {
  RandomStream stream(3, Purpose::raw_samples);
  double best = 0.0;
  for (int level = 0; level < 25; ++level) {
    const auto value = [&](const numeric::Vector& x) {
      return functions::hartmann6(
          std::array{0.25 * (level / 5), x[0], x[1], 0.25 * (level % 5), x[2], x[3]});
    };
    best = std::max(best, best_of_searches(value, 4, stream));
  }
  EXPECT_NEAR(best, make_problem("hartmann6-levels").maximum, 1e-9);
}

TEST(MixedOptimum, SlowOfTwoModelsIsTheBestInteger) {
  RandomStream stream(4, Purpose::raw_samples);
  double best = 0.0;
  for (int level = 0; level <= 20; ++level) {
    const auto value = [&](const numeric::Vector& x) {
      return functions::hartmann3(std::array{x[0], x[1], level / 20.0});
    };
    best = std::max(best, best_of_searches(value, 2, stream));
  }
  const std::vector<double> b = make_problem("two-models").maximiser;
  const double place = 1.0 + std::log10(b[4]) / 4.0;
  EXPECT_NEAR(best, functions::hartmann3(std::array{b[3], place, b[5] / 20.0}), 1e-9);
}

// The slopes of x1 + x2 are 1, so those of c1 must be equal, and c1 must be 0.
TEST(MixedOptimum, OfGramacySatisfiesTheOptimalityConditions) {
  const Problem problem = make_problem("gramacy");
  const std::vector<double>& x = problem.maximiser;
  EXPECT_NEAR(problem.outcomes(x)[0], 0.0, 1e-14);
  const double angle = 2.0 * std::numbers::pi * (x[0] * x[0] - 2.0 * x[1]);
  const double slope1 = -1.0 - 2.0 * std::numbers::pi * x[0] * std::cos(angle);
  const double slope2 = -2.0 + 2.0 * std::numbers::pi * std::cos(angle);
  EXPECT_NEAR(slope1, slope2, 1e-12);
  EXPECT_LT(slope1, 0.0) << "the objective must fall as the outcome becomes acceptable";
}

TEST(MixedOptimum, SlowOfGramacyAndGardnerBeatsAGrid) {
  constexpr int kGrid = 2000;
  for (const char* const task : {"gramacy", "gardner"}) {
    const Problem problem = make_problem(task);
    const double side = problem.space.bounds()[0].upper;
    double best = problem.worst;
    for (int i = 0; i <= kGrid; ++i) {
      for (int j = 0; j <= kGrid; ++j) {
        const std::vector<double> x = {side * i / kGrid, side * j / kGrid};
        if (is_acceptable(problem, x)) best = std::max(best, problem.value(x));
      }
    }
    EXPECT_LE(best, problem.maximum) << task;
    EXPECT_GT(best, problem.maximum - 2.0 * side / kGrid) << task;
  }
}

}  // namespace
}  // namespace oscbo
