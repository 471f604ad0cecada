// A checksum that identifies contents.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace oscbo::numeric {

/// 64-bit FNV-1a. It detects accidental damage, such as damage by a failing disk, but not
/// deliberate changes.
class Checksum {
 public:
  void add(std::string_view text) noexcept;

  /// add hashes the eight bytes of `value`, least significant byte first.
  void add(double value) noexcept;

  [[nodiscard]] std::string hex() const;

 private:
  void add_byte(std::uint64_t byte) noexcept;

  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace oscbo::numeric
