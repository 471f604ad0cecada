#include "numeric/sobol.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "oscbo/error.hpp"

namespace oscbo::numeric {
namespace {

// The prefixes of a coordinate's bits are the nodes of a binary tree, numbered as in a heap: the
// prefix b_1 .. b_k is node 1 b_1 .. b_k (binary). One hash of a node holds the random bits of the
// 63 nodes in its next six levels. These six levels form a digit. The 32 bits of a Sobol point are
// padded with zeros to a multiple of six, and noise fills the remaining bits of a double.
constexpr unsigned kSobolBits = 32;
constexpr unsigned kDigitBits = 6;
constexpr unsigned kDigits = 6;
constexpr unsigned kScrambledBits = kDigits * kDigitBits;
static_assert(kScrambledBits >= kSobolBits);

std::size_t checked(std::size_t dimension) {
  if (dimension < 1 || dimension > ScrambledSobol::kMaxDimension) {
    throw Error(ErrorCode::invalid_value, "dimension",
                fmt::format("{} is not accepted; use an integer in [1, {}]", dimension,
                            ScrambledSobol::kMaxDimension));
  }
  return dimension;
}

// Word `node` of the SplitMix64 stream (Steele, Lea, Flood 2014) that starts at `key`.
std::uint64_t hash(std::uint64_t key, std::uint64_t node) {
  std::uint64_t z = key + node * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

// Flips each bit of `digit` if `flips` has a 1 at the bit's node in the digit's subtree.
std::uint64_t flip_digit(std::uint64_t digit, std::uint64_t flips) {
  std::uint64_t mask = 0;
  for (unsigned level = 0; level < kDigitBits; ++level) {
    const std::uint64_t node = (1U << level) | (digit >> (kDigitBits - level));
    mask = (mask << 1U) | ((flips >> node) & 1U);
  }
  return digit ^ mask;
}

double scramble(std::uint64_t key, std::uint32_t sobol_bits) {
  const std::uint64_t leaf = (std::uint64_t{1} << kScrambledBits) |
                             (std::uint64_t{sobol_bits} << (kScrambledBits - kSobolBits));
  std::uint64_t scrambled = 0;
  for (unsigned below = kScrambledBits; below > 0; below -= kDigitBits) {
    const std::uint64_t flips = hash(key, leaf >> below);
    const std::uint64_t digit = (leaf >> (below - kDigitBits)) % (1U << kDigitBits);
    scrambled = (scrambled << kDigitBits) | flip_digit(digit, flips);
  }
  const std::uint64_t noise = hash(key, leaf) >> kScrambledBits;
  return open_unit((scrambled << (64 - kScrambledBits)) | noise);
}

std::vector<std::uint64_t> draw_keys(std::size_t count, RandomStream& stream) {
  std::vector<std::uint64_t> keys(count);
  std::generate(keys.begin(), keys.end(), [&stream] { return stream.bits(); });
  return keys;
}

}  // namespace

ScrambledSobol::ScrambledSobol(std::size_t dimension, RandomStream stream)
    : engine_(checked(dimension)), keys_(draw_keys(dimension, stream)) {}

void ScrambledSobol::next(std::span<double> point) {
  assert(point.size() == dimension());
  for (std::size_t j = 0; j < point.size(); ++j) {
    point[j] = scramble(keys_[j], at_origin_ ? 0U : engine_());
  }
  at_origin_ = false;
}

void ScrambledSobol::skip(std::size_t points) {
  if (points == 0) return;
  engine_.discard((points - (at_origin_ ? 1 : 0)) * dimension());
  at_origin_ = false;
}

}  // namespace oscbo::numeric
