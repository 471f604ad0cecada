// Helpers for tests that read files of reference numbers.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace oscbo {

/// text_of_file returns the bytes of a file. The test fails if the file cannot be read.
inline std::string text_of_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// data_folder returns the path of a subfolder of the folder that the environment variable
/// OSCBO_DATA names, or nothing if there is no such subfolder.
inline std::optional<std::string> data_folder(const std::string& subfolder) {
  const char* data = std::getenv("OSCBO_DATA");
  if (data == nullptr) return std::nullopt;
  const std::filesystem::path folder = std::filesystem::path(data) / subfolder;
  if (!std::filesystem::is_directory(folder)) return std::nullopt;
  return folder.string();
}

}  // namespace oscbo
