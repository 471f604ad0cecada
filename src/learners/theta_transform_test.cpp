#include "learners/theta_transform.hpp"

#include <numbers>

#include <gtest/gtest.h>

namespace oscbo::learners {
namespace {

class EveryTransform : public testing::TestWithParam<LearnerOptions::Transform> {
 protected:
  Transform transform{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(All, EveryTransform,
                         testing::Values(LearnerOptions::Transform::softplus,
                                         LearnerOptions::Transform::log,
                                         LearnerOptions::Transform::clamp));

constexpr auto kThetas = {1e-6, 1e-2, 0.1, std::numbers::ln2, 1.0, 10.0, 40.0, 1e3, 1e6};

TEST_P(EveryTransform, RoundTripsOverTheWholeRange) {
  for (const double theta : kThetas) {
    EXPECT_NEAR(transform.theta(transform.raw(theta)), theta, 1e-14 * theta);
  }
}

TEST_P(EveryTransform, SlopeIsTheDerivativeOfTheta) {
  for (const double theta : kThetas) {
    const double raw = transform.raw(theta);
    const double h = 1e-5 * std::max(1.0, std::abs(raw));
    const double difference = (transform.theta(raw + h) - transform.theta(raw - h)) / (2.0 * h);
    EXPECT_NEAR(transform.slope(theta), difference, 1e-7 * transform.slope(theta));
  }
}

TEST(Softplus, OfZeroIsTheInitialLengthscale) {
  EXPECT_DOUBLE_EQ(Transform(LearnerOptions::Transform::softplus).theta(0.0), std::numbers::ln2);
}

TEST(Softplus, IsFiniteAndPositiveFarOut) {
  const Transform softplus(LearnerOptions::Transform::softplus);
  EXPECT_EQ(softplus.theta(1e300), 1e300);
  EXPECT_GT(softplus.theta(-700.0), 0.0);
}

}  // namespace
}  // namespace oscbo::learners
