#include "numeric/adam.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace oscbo::numeric {
namespace {

Vector of(double a, double b) { return (Vector(2) << a, b).finished(); }

TEST(AdamMoments, TakeTheStepsOfThePaper) {
  AdamMoments moments;
  moments.reset(1);
  // m = 0.1 * 4, v = 0.001 * 16; corrected 4 and 16.
  moments.begin_step();
  EXPECT_NEAR(moments.direction(0, 4.0), 4.0 / (4.0 + 1e-8), 1e-15);
  // m = 0.9 * 0.4 - 0.1 * 2 = 0.16 and v = 0.999 * 0.016 + 0.001 * 4 = 0.019984, to be divided by
  // 1 - 0.9^2 = 0.19 and 1 - 0.999^2 = 0.001999.
  moments.begin_step();
  EXPECT_NEAR(moments.direction(0, -2.0), (0.16 / 0.19) / (std::sqrt(0.019984 / 0.001999) + 1e-8),
              1e-14);
}

TEST(AdamMoments, StartAgainAfterAReset) {
  AdamMoments moments;
  moments.reset(2);
  moments.begin_step();
  static_cast<void>(moments.direction(0, 5.0));
  moments.reset(1);
  EXPECT_EQ(moments.dimension(), 1);
  moments.begin_step();
  EXPECT_NEAR(moments.direction(0, -3.0), -1.0, 1e-8);
}

TEST(AdamSearch, MovesByTheRateInSidesOfTheBox) {
  AdamSearch search(0.05, 2);
  search.begin(of(0.0, -10.0), of(1.0, 10.0), of(0.5, 0.0));
  EXPECT_EQ(search.next(), of(0.5, 0.0));
  search.observe(0.0, of(3.0, -0.2));  // the first direction is the sign of the gradient
  EXPECT_NEAR(search.next()[0], 0.5 - 0.05, 1e-9);
  EXPECT_NEAR(search.next()[1], 0.0 + 0.05 * 20.0, 1e-7);
}

TEST(AdamSearch, EvaluatesTheStartAndThePointAfterEachStep) {
  AdamSearch search(0.05, 50);
  search.begin(of(0.0, 0.0), of(1.0, 1.0), of(0.2, 0.2));
  int evaluations = 0;
  while (!search.is_over()) {
    ++evaluations;
    search.observe(0.0, of(search.next()[0] - 0.6, search.next()[1] - 0.4));
  }
  EXPECT_EQ(evaluations, 51);
  EXPECT_NEAR(search.next()[0], 0.6, 0.05);
  EXPECT_NEAR(search.next()[1], 0.4, 0.05);
}

TEST(AdamSearch, StaysInTheBox) {
  AdamSearch search(0.4, 20);
  search.begin(of(0.0, 2.0), of(1.0, 3.0), of(0.9, 2.1));
  while (!search.is_over()) {
    search.observe(0.0, of(-1.0, 1.0));
    EXPECT_LE(search.next()[0], 1.0);
    EXPECT_GE(search.next()[1], 2.0);
  }
  EXPECT_EQ(search.next(), of(1.0, 2.0));
}

TEST(AdamSearch, LeavesCoordinatesWithoutAFiniteSlope) {
  AdamSearch search(0.1, 5);
  search.begin(of(0.0, 0.0), of(1.0, 1.0), of(0.5, 0.5));
  search.observe(0.0, of(std::numeric_limits<double>::quiet_NaN(), 1.0));
  EXPECT_EQ(search.next()[0], 0.5);
  EXPECT_NEAR(search.next()[1], 0.4, 1e-9);
  search.observe(0.0, of(1.0, std::numeric_limits<double>::infinity()));
  EXPECT_LT(search.next()[0], 0.5);
  EXPECT_NEAR(search.next()[1], 0.4, 1e-9);
}

}  // namespace
}  // namespace oscbo::numeric
