#include "learners/calibration_split.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace oscbo::learners {
namespace {

using numeric::Purpose;
using numeric::RandomStream;

CalibrationSplit split_of(Index n, std::uint64_t seed, std::uint64_t step = 0) {
  RandomStream stream(seed, Purpose::calibration_split, step);
  return draw_split(n, 0.2, stream);
}

TEST(CalibrationCount, IsAFifthRoundedAndAtLeastTwo) {
  EXPECT_EQ(calibration_count(5, 0.2), 2);
  EXPECT_EQ(calibration_count(10, 0.2), 2);
  EXPECT_EQ(calibration_count(12, 0.2), 2);  // 2.4
  EXPECT_EQ(calibration_count(13, 0.2), 3);  // 2.6
  EXPECT_EQ(calibration_count(17, 0.2), 3);  // 3.4
  EXPECT_EQ(calibration_count(18, 0.2), 4);  // 3.6
  EXPECT_EQ(calibration_count(110, 0.2), 22);
  for (Index n = 5; n <= 110; ++n) {
    EXPECT_EQ(calibration_count(n, 0.2), std::max<Index>(2, (2 * n + 5) / 10)) << n << " points";
  }
}

TEST(CalibrationCount, LeavesThreeForTraining) {
  for (Index n = 5; n <= 110; ++n) {
    EXPECT_EQ(calibration_count(n, 0.999), n - 3);
    EXPECT_EQ(calibration_count(n, 1e-9), 2);
  }
}

TEST(CalibrationCount, IsZeroForFewerThanFivePoints) {
  for (const double fraction : {0.01, 0.2, 0.9}) {
    for (Index n = 0; n < 5; ++n) EXPECT_EQ(calibration_count(n, fraction), 0);
  }
}

TEST(CalibrationSplit, PutsEveryPointInExactlyOnePart) {
  for (Index n = 5; n <= 110; ++n) {
    const CalibrationSplit split = split_of(n, 3, static_cast<std::uint64_t>(n));
    EXPECT_EQ(static_cast<Index>(split.calibration.size()), calibration_count(n, 0.2));
    EXPECT_TRUE(std::is_sorted(split.training.begin(), split.training.end()));
    EXPECT_TRUE(std::is_sorted(split.calibration.begin(), split.calibration.end()));
    std::vector<Index> all(split.training);
    all.insert(all.end(), split.calibration.begin(), split.calibration.end());
    std::sort(all.begin(), all.end());
    ASSERT_EQ(static_cast<Index>(all.size()), n);
    for (Index i = 0; i < n; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], i);
  }
}

TEST(CalibrationSplit, IsAFunctionOfItsStream) {
  EXPECT_EQ(split_of(40, 1, 7).calibration, split_of(40, 1, 7).calibration);
  EXPECT_NE(split_of(40, 1, 7).calibration, split_of(40, 1, 8).calibration);
  EXPECT_NE(split_of(40, 1, 7).calibration, split_of(40, 2, 7).calibration);
}

// Each of 10 points is held out in a fifth of 4000 splits: 800 times, with a standard deviation of
// 25.
TEST(CalibrationSplit, HoldsOutAllPointsEquallyOften) {
  std::vector<int> times(10);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    for (const Index i : split_of(10, seed).calibration) ++times[static_cast<std::size_t>(i)];
  }
  for (const int count : times) EXPECT_NEAR(count, 800, 125);
}

// Apart from the new point itself, one more point changes at most one entry of each part.
TEST(CalibrationSplit, OfOneStreamIsStableAsPointsArrive) {
  std::vector<Index> before = split_of(5, 4).calibration;
  for (Index n = 6; n <= 110; ++n) {
    const std::vector<Index> now = split_of(n, 4).calibration;
    std::vector<Index> both;
    std::set_intersection(before.begin(), before.end(), now.begin(), now.end(),
                          std::back_inserter(both));
    EXPECT_GE(both.size() + 1, before.size());
    before = now;
  }
}

}  // namespace
}  // namespace oscbo::learners
