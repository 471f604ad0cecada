#include "in_context/member_orders.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace oscbo::in_context {
namespace {

using Square = std::vector<FeatureOrder>;

/// Returns a Latin square of the symbols.
Square latin_square(FeatureOrder symbols, PythonRandom& random) {
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

using State = std::array<std::uint32_t, boost::random::mt19937::state_size>;

/// Returns the state with which Python seeds MT19937: `init_by_array` of the reference
/// implementation, with a key of one word.
State python_state(std::uint32_t seed) {
  State state{};
  const auto mixed = [&](std::size_t i) { return state[i - 1] ^ (state[i - 1] >> 30U); };
  state[0] = 19650218U;
  for (std::uint32_t i = 1; i < state.size(); ++i) state[i] = 1812433253U * mixed(i) + i;
  std::size_t i = 1;
  const auto step = [&] {
    if (++i < state.size()) return;
    state[0] = state.back();
    i = 1;
  };
  for (std::size_t k = 0; k < state.size(); ++k, step()) {
    state[i] = (state[i] ^ (mixed(i) * 1664525U)) + seed;
  }
  for (std::size_t k = 1; k < state.size(); ++k, step()) {
    state[i] = (state[i] ^ (mixed(i) * 1566083941U)) - static_cast<std::uint32_t>(i);
  }
  state[0] = 0x80000000U;
  return state;
}

}  // namespace

PythonRandom::PythonRandom(std::uint32_t seed) {
  const State state = python_state(seed);
  const auto* first = state.data();
  engine_.seed(first, state.data() + state.size());
}

std::size_t PythonRandom::below(std::size_t n) {
  const auto width = static_cast<unsigned>(std::bit_width(static_cast<std::uint32_t>(n)));
  std::size_t drawn = n;
  while (drawn >= n) drawn = bits() >> (32U - width);
  return drawn;
}

std::vector<FeatureOrder> feature_orders(std::size_t features, std::size_t most,
                                         std::uint32_t seed) {
  FeatureOrder symbols(features);
  std::iota(symbols.begin(), symbols.end(), std::size_t{0});
  PythonRandom random(seed);
  Square orders = latin_square(symbols, random);
  random.shuffle(orders);
  orders = transposed(orders);
  random.shuffle(orders);
  PythonRandom(seed).shuffle(orders);
  orders.resize(std::min(orders.size(), most));
  return orders;
}

}  // namespace oscbo::in_context
