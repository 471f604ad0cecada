#include "base/counted.hpp"

#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

namespace oscbo::base {
namespace {

TEST(Counted, HasThePluralOfEveryCountButOne) {
  EXPECT_EQ(counted(0, "point"), "0 points");
  EXPECT_EQ(counted(std::int64_t{1}, "point"), "1 point");
  EXPECT_EQ(counted(std::size_t{2}, "point"), "2 points");
  EXPECT_EQ(counted(101, "point"), "101 points");
}

TEST(Counted, ChoosesAVerbByCount) {
  EXPECT_EQ(by_count(0, "was", "were"), "were");
  EXPECT_EQ(by_count(1, "was", "were"), "was");
  EXPECT_EQ(by_count(std::size_t{2}, "was", "were"), "were");
}

}  // namespace
}  // namespace oscbo::base
