#include "in_context/member_orders.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace oscbo::in_context {
namespace {

using Square = std::vector<FeatureOrder>;

/// Returns a Latin square of the symbols.
Square latin_square(FeatureOrder symbols, MersenneTwister& random) {
  if (symbols.size() == 1) return {symbols};
  const std::size_t chosen = random.below(symbols.size());
  const std::size_t symbol = symbols[chosen];
  symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(chosen));
  Square square = latin_square(std::move(symbols), random);
  const FeatureOrder first = square.front();
  square.push_back(first);
  for (std::size_t i = 0; i < square.size(); ++i) {
    square[i].insert(square[i].begin() + static_cast<std::ptrdiff_t>(i), symbol);
  }
  return square;
}

Square transposed(const Square& square) {
  Square result(square.size(), FeatureOrder(square.size()));
  for (std::size_t i = 0; i < square.size(); ++i) {
    for (std::size_t j = 0; j < square.size(); ++j) result[j][i] = square[i][j];
  }
  return result;
}

}  // namespace

// The seed is a key of one word, as Python has it. The multipliers are those of the reference
// implementation of MT19937.
MersenneTwister::MersenneTwister(std::uint32_t seed) {
  seed_simply(19650218U);
  const auto mixed = [this](std::size_t i) {
    const std::uint32_t last = state_[i - 1];
    return last ^ (last >> 30U);
  };
  std::size_t i = 1;
  const auto step = [&] {
    if (++i < kWords) return;
    state_[0] = state_[kWords - 1];
    i = 1;
  };
  for (std::size_t k = 0; k < kWords; ++k, step()) {
    state_[i] = (state_[i] ^ (mixed(i) * 1664525U)) + seed;
  }
  for (std::size_t k = 1; k < kWords; ++k, step()) {
    state_[i] = (state_[i] ^ (mixed(i) * 1566083941U)) - static_cast<std::uint32_t>(i);
  }
  state_[0] = 0x80000000U;
}

void MersenneTwister::seed_simply(std::uint32_t seed) {
  state_[0] = seed;
  for (std::size_t i = 1; i < kWords; ++i) {
    const std::uint32_t last = state_[i - 1];
    state_[i] = 1812433253U * (last ^ (last >> 30U)) + static_cast<std::uint32_t>(i);
  }
}

void MersenneTwister::advance() {
  constexpr std::size_t kShift = 397;
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint32_t joined =
        (state_[i] & 0x80000000U) | (state_[(i + 1) % kWords] & 0x7fffffffU);
    const std::uint32_t twist = (joined & 1U) != 0 ? 0x9908b0dfU : 0U;
    state_[i] = state_[(i + kShift) % kWords] ^ (joined >> 1U) ^ twist;
  }
  used_ = 0;
}

std::uint32_t MersenneTwister::bits() {
  if (used_ == kWords) advance();
  std::uint32_t word = state_[used_++];
  word ^= word >> 11U;
  word ^= (word << 7U) & 0x9d2c5680U;
  word ^= (word << 15U) & 0xefc60000U;
  return word ^ (word >> 18U);
}

std::size_t MersenneTwister::below(std::size_t n) {
  const auto width = static_cast<unsigned>(std::bit_width(static_cast<std::uint32_t>(n)));
  std::size_t drawn = n;
  while (drawn >= n) drawn = bits() >> (32U - width);
  return drawn;
}

std::vector<FeatureOrder> feature_orders(std::size_t features, std::size_t most,
                                         std::uint32_t seed) {
  FeatureOrder symbols(features);
  std::iota(symbols.begin(), symbols.end(), std::size_t{0});
  MersenneTwister random(seed);
  Square orders = latin_square(symbols, random);
  random.shuffle(orders);
  orders = transposed(orders);
  random.shuffle(orders);
  MersenneTwister(seed).shuffle(orders);
  orders.resize(std::min(orders.size(), most));
  return orders;
}

}  // namespace oscbo::in_context
