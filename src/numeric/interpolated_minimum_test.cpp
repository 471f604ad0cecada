#include "numeric/interpolated_minimum.hpp"

#include <functional>
#include <numbers>

#include <gtest/gtest.h>

namespace oscbo::numeric {
namespace {

constexpr double kTolerance = 1e-6;

struct Search {
  Sample found;
  int evaluations;
};

/// Samples the function at `count` places of [-1, 1] and refines the lowest sample.
Search search(const std::function<double(double)>& function, int count = 9) {
  std::vector<Sample> samples;
  std::size_t lowest = 0;
  for (int i = 0; i < count; ++i) {
    const double at = -1.0 + 2.0 * i / (count - 1);
    samples.push_back({.at = at, .value = function(at)});
    if (samples.back().value < samples[lowest].value) lowest = samples.size() - 1;
  }
  int evaluations = 0;
  const Sample found = InterpolatedMinimum(samples, lowest)
                           .find(
                               [&](double x) {
                                 ++evaluations;
                                 return function(x);
                               },
                               kTolerance);
  return {.found = found, .evaluations = evaluations};
}

TEST(Interpolant, IsThePolynomialThroughItsSamples) {
  const auto cubic = [](double x) { return 2.0 + x * (1.0 + x * (-3.0 + 0.5 * x)); };
  Interpolant interpolant;
  for (const double x : {0.3, -1.0, 0.9, 0.0}) interpolant.add({.at = x, .value = cubic(x)});
  for (const double x : {-2.0, 0.1, 5.0}) EXPECT_NEAR(interpolant(x), cubic(x), 1e-12);
}

TEST(InterpolatedMinimum, IsFoundWithFewEvaluationsOfSmoothFunctions) {
  for (double centre = -0.95; centre < 1.0; centre += 0.13) {
    const std::vector<std::function<double(double)>> functions{
        [&](double x) { return (x - centre) * (x - centre); },
        [&](double x) { return std::cosh(3.0 * (x - centre)); },
        [&](double x) { return -1.0 / (1.0 + 4.0 * (x - centre) * (x - centre)); },
        [&](double x) { return std::exp(x - centre) - x; }};
    for (const auto& function : functions) {
      const Search result = search(function);
      EXPECT_NEAR(result.found.at, centre, 2.0 * kTolerance);
      EXPECT_EQ(result.found.value, function(result.found.at));
      EXPECT_LE(result.evaluations, 8);
    }
  }
}

TEST(InterpolatedMinimum, IsFoundIfTheFunctionHasAKink) {
  const double centre = 1.0 / std::numbers::pi;
  const Search result = search([&](double x) { return std::abs(x - centre) + 0.3 * x; });
  EXPECT_NEAR(result.found.at, centre, 1e-4);
  EXPECT_LE(result.evaluations, 40);
}

TEST(InterpolatedMinimum, MayLieAtAnEnd) {
  EXPECT_NEAR(search([](double x) { return x; }).found.at, -1.0, kTolerance);
  EXPECT_NEAR(search([](double x) { return -std::exp(x); }).found.at, 1.0, kTolerance);
}

TEST(InterpolatedMinimum, SkipsPlacesWithoutAFiniteValue) {
  const auto half_known = [](double x) {
    return x > 0.2 ? std::numeric_limits<double>::infinity() : (x - 0.1) * (x - 0.1);
  };
  EXPECT_NEAR(search(half_known).found.at, 0.1, 2.0 * kTolerance);
}

TEST(InterpolatedMinimum, EndsOnAFlatFunctionAndOnOneWithoutFiniteValues) {
  for (const double level : {2.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    const Search result = search([&](double) { return level; });
    EXPECT_GE(result.found.at, -1.0);
    EXPECT_LE(result.found.at, 1.0);
    EXPECT_LE(result.evaluations, 40);
  }
}

}  // namespace
}  // namespace oscbo::numeric
