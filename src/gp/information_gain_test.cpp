#include "gp/information_gain.hpp"

#include <cmath>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "gp/gp_test_support.hpp"
#include "gp/kernel_options.hpp"

namespace oscbo::gp {
namespace {

using test::kNoise;

InformationGain gain_of(Index dimension, double theta) {
  return {stationary_kernel(KernelShape::matern52), dimension, kNoise, Vector::Constant(1, theta)};
}

double dense_gain(const test::Data& data, double theta) {
  const Index n = data.X.rows();
  const test::Matrix A =
      data.gram(n, KernelShape::matern52, Vector::Constant(1, theta), kNoise) / kNoise;
  return 0.5 * std::log(A.determinant());
}

TEST(InformationGain, OfNoPointIsZeroAndOfOnePointIsKnown) {
  InformationGain gain = gain_of(2, 0.5);
  EXPECT_EQ(gain.greedy(0), 0.0);
  EXPECT_NEAR(gain.greedy(1), 0.5 * std::log(1.0 + 1.0 / kNoise), 1e-12);
}

TEST(InformationGain, GreedyBeatsRandomDesignsAndItsBoundHoldsForThem) {
  for (const Index n : {3, 8, 20}) {
    for (const double theta : {0.1, 0.5, 2.0}) {
      InformationGain gain = gain_of(2, theta);
      double best = 0.0;
      for (std::uint64_t seed = 0; seed < 50; ++seed) {
        numeric::RandomStream stream(seed, numeric::Purpose::initial_design);
        test::Data data;
        data.X = test::Matrix::NullaryExpr(n, 2, [&] { return stream.uniform(); });
        best = std::max(best, dense_gain(data, theta));
      }
      EXPECT_GE(gain.greedy(n), best) << "n " << n << " theta " << theta;
      EXPECT_GE(gain.upper_bound(n), gain.greedy(n));
    }
  }
}

TEST(InformationGain, EqualsTheLogDeterminantOfTheGreedyDesign) {
  // Three distant points are independent, so their gain is three times that of one.
  InformationGain gain = gain_of(2, 0.01);
  EXPECT_NEAR(gain.greedy(3), 3.0 * gain.greedy(1), 1e-9);
  // With a long lengthscale, the second point is the farthest from the first: the opposite end.
  InformationGain smooth = gain_of(1, 1.0);
  const double second = smooth.greedy(2) - smooth.greedy(1);
  EXPECT_LT(second, smooth.greedy(1));
  EXPECT_GT(second, smooth.greedy(3) - smooth.greedy(2));
}

TEST(InformationGain, GrowsWithNAndShrinksWithTheLengthscale) {
  double previous = 1e300;
  for (const double theta : {0.05, 0.1, 0.3, 1.0, 3.0}) {
    InformationGain gain = gain_of(3, theta);
    EXPECT_LT(gain.greedy(60), previous);
    previous = gain.greedy(60);
    for (Index n = 1; n < 60; ++n) EXPECT_GT(gain.greedy(n + 1), gain.greedy(n));
  }
}

TEST(InformationGain, BoundIsAtMostThatOfIndependentPoints) {
  InformationGain gain = gain_of(6, 0.01);
  EXPECT_NEAR(gain.upper_bound(50), 25.0 * std::log(1.0 + 1.0 / kNoise), 1e-9);
}

TEST(InformationGain, BoundUsesTheLargestVarianceOfTheCube) {
  // The variance of a network kernel is largest at the corner, which no Sobol point reaches. Here
  // it is 1452.8.
  KernelOptions config{.family = KernelOptions::Family::network};
  config.normalised = false;
  InformationGain gain(make_kernel(config, Layout::plain(2)), 2, kNoise, Vector{{10.0, 1.3}});
  EXPECT_NEAR(gain.upper_bound(1), 0.5 * std::log(1.0 + 1452.8 / kNoise), 1e-9);
  EXPECT_LT(gain.greedy(1), gain.upper_bound(1));
}

}  // namespace
}  // namespace oscbo::gp
