#include "gp/lengthscale_scan.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "gp/gp_test_support.hpp"
#include "gp/lengthscale_objective.hpp"

namespace oscbo::gp {
namespace {

const Vector kLengthscales = Vector::LinSpaced(11, 0.05, 2.0);  // not a multiple of kLanes

Inputs first_points(const test::Data& data, Index n) {
  return test::Data{.X = data.X.topRows(n), .y = data.y.head(n)}.inputs();
}

ObjectiveTerms first_terms(const test::RandomCase& c, Index n) {
  return {.log_pivot_weights = c.pivot_weights.head(n),
          .residual_weights = c.weights.head(n),
          .exponent = c.exponent,
          .constant = 0.25};
}

void expect_values_of_objective(LengthscaleScan& scan, const test::RandomCase& c, Index n,
                                const Vector& y) {
  const Inputs inputs = first_points(c.data, n);
  const ObjectiveTerms terms = first_terms(c, n);
  LengthscaleObjective objective(stationary_kernel(c.shape), c.noise);
  objective.set_data(inputs, y);
  objective.set_terms(terms);
  const Vector values = scan.values(inputs, y, terms);
  for (Index i = 0; i < kLengthscales.size(); ++i) {
    const double expected = objective.value(Vector::Constant(1, kLengthscales[i]));
    EXPECT_NEAR(values[i], expected, 1e-9 * (1.0 + std::abs(expected))) << n << " points";
  }
}

TEST(LengthscaleScan, ReturnsTheValuesOfTheObjectiveAsPointsArrive) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const test::RandomCase c(seed);
    LengthscaleScan scan(RadialProfile(c.shape), c.noise, kLengthscales);
    for (Index n = 1; n <= c.size(); n += 1 + n / 3) {
      // All observations change, because new points change the statistics that standardise them.
      const Vector y = c.data.y.head(n) * (1.0 + 0.1 * static_cast<double>(n));
      expect_values_of_objective(scan, c, n, y);
    }
  }
}

// A copy of an optimizer, or one replayed from its log, must continue like the original.
TEST(LengthscaleScan, HasTheSameBitsHoweverThePointsArrived) {
  const test::RandomCase c(6);
  LengthscaleScan grown(RadialProfile(c.shape), c.noise, kLengthscales);
  for (Index n = 1; n <= c.size(); ++n) {
    const Inputs inputs = first_points(c.data, n);
    const Vector y = c.data.y.head(n);
    LengthscaleScan fresh(RadialProfile(c.shape), c.noise, kLengthscales);
    EXPECT_EQ(grown.values(inputs, y, first_terms(c, n)),
              fresh.values(inputs, y, first_terms(c, n)));
  }
}

TEST(LengthscaleScan, StartsFromScratchWithOtherPoints) {
  test::RandomCase c(3);
  LengthscaleScan scan(RadialProfile(c.shape), c.noise, kLengthscales);
  expect_values_of_objective(scan, c, c.size(), c.data.y);
  expect_values_of_objective(scan, c, c.size() - 1, c.data.y.head(c.size() - 1));
  c.data.X(0, 0) = 1.0 - c.data.X(0, 0);
  expect_values_of_objective(scan, c, c.size(), c.data.y);
}

TEST(LengthscaleScan, IsNaNIfTheMatrixIsSingular) {
  test::RandomCase c(4);
  c.data.X.row(1) = c.data.X.row(0);
  LengthscaleScan scan(RadialProfile(c.shape), 0.0, kLengthscales);
  const Vector values = scan.values(first_points(c.data, 2), c.data.y.head(2), first_terms(c, 2));
  for (const double value : values) EXPECT_TRUE(std::isnan(value));
}

// The scan uses stored factors if possible, and factorizations with jitter otherwise.
TEST(LengthscaleObjective, ScansOneLengthscaleForAllDimensions) {
  test::RandomCase c(5);
  const Index d = c.data.X.cols();
  const ObjectiveTerms terms = first_terms(c, c.size());
  const auto expect_values = [&](LengthscaleObjective objective, int factorizations) {
    const Inputs inputs = c.data.inputs();
    objective.set_data(inputs, c.data.y);
    objective.set_terms(terms);
    const Vector values = objective.scan(kLengthscales, d);
    EXPECT_EQ(objective.evaluations(), factorizations);
    for (Index i = 0; i < kLengthscales.size(); ++i) {
      const double expected = objective.value(Vector::Constant(d, kLengthscales[i]));
      EXPECT_NEAR(values[i], expected, 1e-9 * (1.0 + std::abs(expected)));
    }
  };
  const int all = static_cast<int>(kLengthscales.size());
  expect_values({stationary_kernel(c.shape), c.noise}, 0);
  LengthscaleObjective assigned(stationary_kernel(KernelShape::rbf), 0.5);
  expect_values(assigned, 0);
  assigned = LengthscaleObjective(stationary_kernel(c.shape), c.noise);
  expect_values(assigned, 0);
  c.data.X.row(1) = c.data.X.row(0);
  expect_values({stationary_kernel(c.shape), 0.0}, all);
}

}  // namespace
}  // namespace oscbo::gp
