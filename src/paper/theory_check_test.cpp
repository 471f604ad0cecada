#include <gtest/gtest.h>

#include "oscbo/paper.hpp"

namespace oscbo {
namespace {

TEST(TheoryCheck, ComparesAFractionWithItsLimit) {
  EXPECT_TRUE((TheoryCheck{.runs = 10, .count = 9, .limit = 0.9}).holds());
  EXPECT_FALSE((TheoryCheck{.runs = 10, .count = 8, .limit = 0.9}).holds());
  EXPECT_TRUE((TheoryCheck{.runs = 10, .count = 1, .limit = 0.1, .at_least = false}).holds());
  EXPECT_FALSE((TheoryCheck{.runs = 10, .count = 2, .limit = 0.1, .at_least = false}).holds());
}

// `oscbo bench theory` checks 200 runs. docs/theory.md has the result.
TEST(TheoryCheckSlow, EveryPromiseHoldsIn50Runs) {
  for (const TheoryCheck& check : check_theory(50)) {
    EXPECT_TRUE(check.holds()) << check.claim << ": " << check.count << " of " << check.runs
                               << ", promised " << check.limit;
  }
}

}  // namespace
}  // namespace oscbo
