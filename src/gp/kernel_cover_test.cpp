#include "gp/kernel_cover.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "gp/gp_test_support.hpp"

namespace oscbo::gp {
namespace {

/// d(theta, theta') for one lengthscale, by brute force over distances up to `diameter`.
double kernel_distance(KernelShape shape, double a, double b, double diameter) {
  double largest = 0.0;
  for (int i = 0; i <= 20000; ++i) {
    const Vector x = Vector::Constant(1, diameter * i / 20000.0);
    const Vector origin = Vector::Zero(1);
    largest =
        std::max(largest, std::abs(test::dense_kernel(shape, x, origin, Vector::Constant(1, a)) -
                                   test::dense_kernel(shape, x, origin, Vector::Constant(1, b))));
  }
  return largest;
}

TEST(KernelCover, PathLengthOfRbfIsKnown) {
  // psi(u) u^2 = u^2 exp(-u^2/2) is largest at u = sqrt 2, where it is 2/e.
  const RadialProfile rbf(KernelShape::rbf);
  EXPECT_NEAR(kernel_path_length(rbf, 0.01, 0.1, 1.0), 2.0 / std::exp(1.0) * std::log(10.0), 1e-6);
}

TEST(KernelCover, BallsAlongThePathCoverThePath) {
  // Neighbouring centres are 2 epsilon apart along the path, so at most 2 epsilon in the metric.
  for (const KernelShape shape : {KernelShape::matern32, KernelShape::matern52, KernelShape::rbf}) {
    const RadialProfile profile(shape);
    constexpr double kLow = 0.1;
    constexpr double kHigh = 3.0;
    const double length = kernel_path_length(profile, kLow, kHigh, std::sqrt(2.0));
    EXPECT_GE(length, kernel_distance(shape, kLow, kHigh, std::sqrt(2.0)));
    // The lengths of two parts add up.
    const double parts = kernel_path_length(profile, kLow, 0.5, std::sqrt(2.0)) +
                         kernel_path_length(profile, 0.5, kHigh, std::sqrt(2.0));
    EXPECT_NEAR(length, parts, 2e-3 * length);
    // For a short piece, the metric equals the path length.
    EXPECT_NEAR(kernel_path_length(profile, 0.5, 0.5001, std::sqrt(2.0)) /
                    kernel_distance(shape, 0.5, 0.5001, std::sqrt(2.0)),
                1.0, 1e-3);
  }
}

TEST(KernelCover, CountsBalls) {
  const KernelOptions rbf{.family = KernelOptions::Family::rbf};
  const double length = 2.0 / std::exp(1.0) * std::log(10.0);
  EXPECT_NEAR(log_covering_number(rbf, 1, 0.01, 0.1, 1e-8), std::log(length / 2e-8), 1e-6);
  EXPECT_EQ(log_covering_number(rbf, 1, 0.01, 0.1, 10.0), 0.0) << "one ball covers everything";
  KernelOptions ard = rbf;
  ard.ard = true;
  EXPECT_NEAR(log_covering_number(ard, 3, 0.01, 0.1, 1e-8), 3.0 * std::log(3.0 * length / 2e-8),
              1e-6);
}

}  // namespace
}  // namespace oscbo::gp
