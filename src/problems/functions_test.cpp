#include "problems/functions.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace oscbo::functions {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

struct Reference {
  std::string name;
  double (*function)(Point);
  std::vector<double> x;
  double value;
};

// Values of the textbook formulas in 50-digit arithmetic (mpmath), at points that are exact
// doubles.
TEST(Functions, AgreeWithHighPrecisionReferences) {
  const std::vector<Reference> references = {
      {"levy", levy, {-7.5}, -6.9198841094067262},
      {"levy", levy, {-2.5, 4.0, 7.25}, -11.944575506852549},
      {"levy", levy, {0.0, 0.0, 0.0, 0.0, 0.0}, -0.98837821646789788},
      {"ackley", ackley, {1.0, 1.0}, -3.6253849384403628},
      {"ackley", ackley, {-32.75, 0.25, 17.5}, -21.727041000867672},
      {"rosenbrock", rosenbrock, {-1.5, 2.0, 0.25}, -1419.75},
      {"michalewicz", michalewicz, {2.25, 1.5}, 1.5884232174987688},
      {"michalewicz", michalewicz, {2.0, 1.5, 1.25, 2.0}, 2.2911727352754186},
      {"styblinski-tang", styblinski_tang, {-2.5, 1.0, 3.25}, 62.310546875},
      {"branin", branin, {0.0, 0.0}, -55.602112642270262},
      {"branin", branin, {2.5, 7.5}, -24.129964413622261},
      {"hartmann3", hartmann3, {0.5, 0.5, 0.5}, 0.6280220150705942},
      {"hartmann3", hartmann3, {0.25, 0.75, 0.875}, 2.701801625501937},
      {"hartmann6", hartmann6, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, 0.50531499170223314},
      {"hartmann6", hartmann6, {0.125, 0.25, 0.5, 0.25, 0.375, 0.625}, 2.9420812671241385},
  };
  for (const Reference& reference : references) {
    EXPECT_NEAR(reference.function(reference.x), reference.value, 1e-14 * std::abs(reference.value))
        << reference.name;
  }
}

TEST(Functions, ZeroMaximaAreExactZeros) {
  for (const std::size_t dimension : {2U, 3U, 7U, 1000U}) {
    const std::vector<double> ones(dimension, 1.0);
    const std::vector<double> origin(dimension, 0.0);
    for (const double value : {levy(ones), rosenbrock(ones), ackley(origin)}) {
      EXPECT_EQ(value, 0.0);
      EXPECT_FALSE(std::signbit(value));  // listings would show "-0"
    }
  }
}

// -20 expm1(-0.2 s) is 4 s to first order. The textbook form returns 0 or noise here.
TEST(Functions, AckleyKeepsItsDigitsCloseToTheOptimum) {
  for (const double s : {1e-9, 1e-13, 1e-17}) {
    const std::vector<double> x(3, s);
    EXPECT_NEAR(ackley(x), -4.0 * s, 1e-6 * s);
  }
}

TEST(Functions, BraninHasThreeEqualMaxima) {
  const double maximum = branin_optimum(2).maximum;
  EXPECT_NEAR(maximum, -0.39788735772973834, kEpsilon);
  const double pi = std::numbers::pi;
  EXPECT_NEAR(branin(std::vector{-pi, 12.275}), maximum, 1e-14);
  EXPECT_NEAR(branin(std::vector{pi, 2.275}), maximum, 1e-14);
  EXPECT_NEAR(branin(std::vector{3.0 * pi, 2.475}), maximum, 1e-14);
}

TEST(Functions, MichalewiczOptimaMatchThePublishedValues) {
  EXPECT_NEAR(michalewicz_optimum(1).maximum, 0.801303410098554, 1e-14);
  EXPECT_NEAR(michalewicz_optimum(2).maximum, 1.801303410098554, 1e-14);
  EXPECT_NEAR(michalewicz_optimum(5).maximum, 4.687658179088148, 1e-14);
  EXPECT_NEAR(michalewicz_optimum(10).maximum, 9.660151715641349, 1e-13);
  const Optimum two = michalewicz_optimum(2);
  EXPECT_NEAR(two.maximiser[0], 2.202905520, 1e-9);
  EXPECT_NEAR(two.maximiser[1], std::numbers::pi / 2.0, 1e-15);
}

// The function is separable, so a fine grid over each coordinate checks the choice of the hump.
TEST(Functions, MichalewiczOptimumBeatsAGridInEveryCoordinate) {
  constexpr int kGrid = 10000;
  const std::vector<double> maximiser = michalewicz_optimum(333).maximiser;
  for (const std::size_t index : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 50U, 333U}) {
    std::vector<double> x(index, 0.0);  // the other terms vanish at 0
    x.back() = maximiser[index - 1];
    const double best = michalewicz(x);
    for (int i = 0; i <= kGrid; ++i) {
      x.back() = std::numbers::pi * i / kGrid;
      ASSERT_LE(michalewicz(x), best * (1.0 + 4.0 * kEpsilon)) << "term " << index;
    }
  }
}

}  // namespace
}  // namespace oscbo::functions
