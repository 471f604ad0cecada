// The SHA-256 checksum of bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace oscbo::weights {

/// sha256 returns the checksum as 64 hexadecimal digits in lower case.
[[nodiscard]] std::string sha256(std::span<const std::byte> bytes);

}  // namespace oscbo::weights
