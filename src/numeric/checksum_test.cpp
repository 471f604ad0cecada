#include "numeric/checksum.hpp"

#include <string>

#include <gtest/gtest.h>

namespace oscbo::numeric {
namespace {

std::string checksum_of(std::string_view text) {
  Checksum checksum;
  checksum.add(text);
  return checksum.hex();
}

// The test vectors that the authors of FNV publish for 64-bit FNV-1a.
TEST(Checksum, HasThePublishedValues) {
  EXPECT_EQ(checksum_of(""), "cbf29ce484222325");
  EXPECT_EQ(checksum_of("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(checksum_of("foobar"), "85944171f73967e8");
}

TEST(Checksum, CanBeComputedInPieces) {
  Checksum checksum;
  checksum.add("foo");
  checksum.add("bar");
  EXPECT_EQ(checksum.hex(), checksum_of("foobar"));
}

// 1.0 is 0x3ff0000000000000.
TEST(Checksum, HashesTheBytesOfANumber) {
  Checksum checksum;
  checksum.add(1.0);
  EXPECT_EQ(checksum.hex(), checksum_of(std::string(6, '\0') + "\xf0\x3f"));
}

}  // namespace
}  // namespace oscbo::numeric
