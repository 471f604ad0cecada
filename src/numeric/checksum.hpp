// A checksum by which contents are recognised.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace oscbo::numeric {

/// FNV-1a: catches what a failing disk does to a file, not what an adversary would.
class Checksum {
 public:
  void add(std::string_view text) noexcept;

  /// add takes the eight bytes of `value`, lowest first.
  void add(double value) noexcept;

  [[nodiscard]] std::string hex() const;

 private:
  void add_byte(std::uint64_t byte) noexcept;

  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace oscbo::numeric
