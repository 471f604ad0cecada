#include "experiment/time_left.hpp"

#include <gtest/gtest.h>

namespace oscbo::experiment {
namespace {

TimeLeft three_fast_two_slow(int jobs) {
  TimeLeft left(jobs);
  for (int i = 0; i < 3; ++i) left.expect("fast");
  for (int i = 0; i < 2; ++i) left.expect("slow");
  return left;
}

TEST(TimeLeft, IsUnknownAtFirst) { EXPECT_EQ(three_fast_two_slow(1).seconds(), 0.0); }

TEST(TimeLeft, ExpectsTheAverageTimeForANewTask) {
  TimeLeft left = three_fast_two_slow(1);
  left.finish("fast", 2.0);
  EXPECT_DOUBLE_EQ(left.seconds(), 4 * 2.0);
}

TEST(TimeLeft, ExpectsTheMeasuredTimeOfEachTask) {
  TimeLeft left = three_fast_two_slow(1);
  left.finish("fast", 2.0);
  left.finish("fast", 4.0);
  left.finish("slow", 100.0);
  EXPECT_DOUBLE_EQ(left.seconds(), 3.0 + 100.0);
}

TEST(TimeLeft, IsSharedByTheWorkers) {
  TimeLeft left = three_fast_two_slow(2);
  left.finish("fast", 2.0);
  EXPECT_DOUBLE_EQ(left.seconds(), 4 * 2.0 / 2);
}

TEST(TimeLeft, OneRunIsNotShared) {
  TimeLeft left(8);
  left.expect("a");
  left.expect("a");
  left.finish("a", 5.0);
  EXPECT_DOUBLE_EQ(left.seconds(), 5.0);
  left.finish("a", 5.0);
  EXPECT_EQ(left.seconds(), 0.0);
}

}  // namespace
}  // namespace oscbo::experiment
