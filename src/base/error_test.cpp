#include "oscbo/error.hpp"

#include <set>

#include <gtest/gtest.h>

namespace oscbo {
namespace {

constexpr auto kCodes = {ErrorCode::usage,       ErrorCode::invalid_value, ErrorCode::unknown_name,
                         ErrorCode::conflict,    ErrorCode::exhausted,     ErrorCode::io,
                         ErrorCode::interrupted, ErrorCode::internal};

TEST(ErrorCode, HasANameAndAnExitStatusOfItsOwn) {
  std::set<std::string_view> names;
  std::set<int> statuses;
  for (const ErrorCode code : kCodes) {
    names.insert(to_string(code));
    statuses.insert(exit_status(code));
  }
  EXPECT_EQ(names.size(), kCodes.size());
  EXPECT_EQ(statuses.size(), kCodes.size());
  EXPECT_FALSE(statuses.contains(0));
  EXPECT_FALSE(statuses.contains(1)) << "what an uncaught failure would end with";
}

TEST(Error, MessageBeginsWithTheFieldIfThereIsOne) {
  const Error error(ErrorCode::conflict, "trial", "3 has been told already");
  EXPECT_STREQ(error.what(), "trial: 3 has been told already");
  EXPECT_EQ(error.field(), "trial");
  EXPECT_EQ(error.code(), ErrorCode::conflict);
  EXPECT_STREQ(Error(ErrorCode::io, "", "disk full").what(), "disk full");
}

}  // namespace
}  // namespace oscbo
