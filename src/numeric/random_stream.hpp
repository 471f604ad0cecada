// Counter-based random streams. The name (seed, purpose, step) determines a stream completely:
//
//   block b of the stream = Philox4x64-10 with key (seed, purpose) and counter (step, b, 0, 0)
//
// The words of a block are used in order. No two names share a block, and streams share no state.
// So a value never depends on other draws, their order or their thread:
//
//   RandomStream stream(seed, Purpose::perturbation, round);
//   const double eta = 0.1 * stream.normal();
//
// The numbers of the purposes and the map from words to values are part of the file formats,
// because stored runs are replayed from their seeds. random_stream_test.cpp pins them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace oscbo::numeric {

using PhiloxKey = std::array<std::uint64_t, 2>;
using PhiloxBlock = std::array<std::uint64_t, 4>;

/// philox returns the Philox4x64-10 block of `counter` under `key`: 256 bits that no known
/// statistical test distinguishes from random bits, even for regular counters.
[[nodiscard]] PhiloxBlock philox(const PhiloxKey& key, const PhiloxBlock& counter) noexcept;

/// open_unit maps a word to an odd multiple of 2^-53 in (0, 1). The values are symmetric about 1/2,
/// use every bit of a double's significand and are never 0 or 1.
[[nodiscard]] constexpr double open_unit(std::uint64_t word) noexcept {
  return static_cast<double>((word >> 11) | 1U) * 0x1p-53;
}

/// The purpose of a stream, part of its name.
enum class Purpose : std::uint64_t {
  initial_design = 1,
  perturbation = 2,
  raw_samples = 3,
  start_choice = 4,
  observation_noise = 5,
  lengthscale_starts = 6,
  thompson = 7,
  calibration_split = 8,
  information_gain = 9,
  simulated_function = 10,
  lander_episode = 11,
  lander_search = 12,
  bootstrap = 13,
  rotation = 14,
  local_samples = 15,
  unlocked_share = 16,
  level_moves = 17,
  design_repair = 18,
  polytope_sample = 19,
  evaluation_failure = 20,
  importance = 21,
};

/// A stream is a value: a copy continues with the same numbers. Each continuous distribution uses
/// one word per value. `below` uses one word and, rarely, more.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, Purpose purpose, std::uint64_t step = 0) noexcept;

  /// bits returns the next 64 random bits.
  [[nodiscard]] std::uint64_t bits() noexcept;

  /// uniform returns a value in the open interval (0, 1).
  [[nodiscard]] double uniform() noexcept;

  /// normal returns a standard normal value, by inversion: |normal()| < 8.3.
  [[nodiscard]] double normal();

  /// exponential returns an exponential value with mean 1, which is positive and finite.
  [[nodiscard]] double exponential() noexcept;

  /// gumbel returns a standard Gumbel value, P(G <= g) = exp(-exp(-g)). The largest of log(w_i) +
  /// G_i has index i with probability w_i / sum w. The indices of the k largest are a weighted
  /// sample without replacement.
  [[nodiscard]] double gumbel() noexcept;

  /// below returns an integer from 0 to n-1, exactly uniformly distributed. Requires n > 0.
  [[nodiscard]] std::size_t below(std::size_t n) noexcept;

 private:
  PhiloxKey key_;
  std::uint64_t step_;
  std::uint64_t next_block_ = 0;
  PhiloxBlock block_{};
  std::size_t used_;  // words of block_ handed out
};

}  // namespace oscbo::numeric
