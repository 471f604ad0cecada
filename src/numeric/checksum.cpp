#include "numeric/checksum.hpp"

#include <bit>

#include <fmt/format.h>

namespace oscbo::numeric {

void Checksum::add_byte(std::uint64_t byte) noexcept {
  state_ ^= byte;
  state_ *= 0x100000001b3ULL;
}

void Checksum::add(std::string_view text) noexcept {
  for (const char character : text) add_byte(static_cast<unsigned char>(character));
}

void Checksum::add(double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) add_byte((bits >> shift) & 0xffU);
}

std::string Checksum::hex() const { return fmt::format("{:016x}", state_); }

}  // namespace oscbo::numeric
