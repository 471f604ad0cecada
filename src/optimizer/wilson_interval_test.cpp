#include "optimizer/wilson_interval.hpp"

#include <gtest/gtest.h>

namespace oscbo {
namespace {

TEST(WilsonInterval, MatchesItsDefinition) {
  // The end points p solve (hits / n - p)^2 = z^2 p (1 - p) / n.
  constexpr double kZ = 1.959963984540054;
  for (const int hits : {0, 1, 50, 87, 100}) {
    const FractionInterval interval = wilson_interval(hits, 100);
    for (const double end : {interval.lower, interval.upper}) {
      const double distance = hits / 100.0 - end;
      EXPECT_NEAR(distance * distance, kZ * kZ * end * (1.0 - end) / 100.0, 1e-15);
    }
    EXPECT_LE(interval.lower, hits / 100.0 + 1e-12);
    EXPECT_GE(interval.upper, hits / 100.0 - 1e-12);
  }
}

TEST(WilsonInterval, OfNothingIsEverything) {
  EXPECT_EQ(wilson_interval(0, 0).lower, 0.0);
  EXPECT_EQ(wilson_interval(0, 0).upper, 1.0);
}

}  // namespace
}  // namespace oscbo
