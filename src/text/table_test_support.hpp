// Helpers that the tests of tables share.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace oscbo {

/// A folder for tables that exists for the lifetime of the object.
class TableFolder {
 public:
  TableFolder() {
    std::string pattern = testing::TempDir() + "oscbo-tables-XXXXXX";
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  TableFolder(const TableFolder&) = delete;
  TableFolder(TableFolder&&) = delete;
  TableFolder& operator=(const TableFolder&) = delete;
  TableFolder& operator=(TableFolder&&) = delete;
  ~TableFolder() {
    if (!path_.empty()) std::filesystem::remove_all(path_);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// file writes `text` to a file and returns its path.
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace oscbo
