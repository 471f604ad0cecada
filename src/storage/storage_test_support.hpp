// Shared by tests of stored studies.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "base/temporary_folder_test_support.hpp"
#include "oscbo/error.hpp"

namespace oscbo::storage::test {

/// A test with its own database file, which is removed afterwards.
class DatabaseTest : public testing::Test {
 protected:
  [[nodiscard]] const std::filesystem::path& directory() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "test.db"; }

 private:
  oscbo::test::TemporaryFolder folder_;
};

/// expect_error checks that `call` throws an Error with this code and with `text` in its message.
inline void expect_error(const std::function<void()>& call, ErrorCode code,
                         const std::string& text) {
  try {
    call();
    ADD_FAILURE() << "accepted; expected '" << text << "'";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

}  // namespace oscbo::storage::test
