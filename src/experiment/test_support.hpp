// Helpers for the tests in this directory and in the directories that build on it.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/temporary_folder_test_support.hpp"
#include "base/test_support.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A test with its own directory, which is removed afterwards.
class DirectoryTest : public testing::Test {
 protected:
  [[nodiscard]] const std::filesystem::path& directory() const { return folder_.path(); }

 private:
  test::TemporaryFolder folder_;
};

inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++number;
  }
  return number;
}

inline std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void overwrite(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline Prediction prediction(double mean, double sd, double width) {
  Prediction result;
  result.mean = mean;
  result.sd = sd;
  result.width = width;
  result.beta = 2.0;
  return result;
}

}  // namespace oscbo
