#include "numeric/random_stream.hpp"

#include <cassert>
#include <cmath>

#include <Random123/philox.h>

#include "numeric/normal.hpp"

namespace oscbo::numeric {

PhiloxBlock philox(const PhiloxKey& key, const PhiloxBlock& counter) noexcept {
  using Philox = r123::Philox4x64;
  const Philox::ctr_type block =
      Philox{}(Philox::ctr_type{{counter[0], counter[1], counter[2], counter[3]}},
               Philox::key_type{{key[0], key[1]}});
  return {block[0], block[1], block[2], block[3]};
}

RandomStream::RandomStream(std::uint64_t seed, Purpose purpose, std::uint64_t step) noexcept
    : key_{seed, static_cast<std::uint64_t>(purpose)}, step_(step), used_(block_.size()) {}

std::uint64_t RandomStream::bits() noexcept {
  if (used_ == block_.size()) {
    block_ = philox(key_, {step_, next_block_++, 0, 0});
    used_ = 0;
  }
  return block_[used_++];
}

double RandomStream::uniform() noexcept { return open_unit(bits()); }

double RandomStream::normal() { return normal_quantile(uniform()); }

double RandomStream::exponential() noexcept { return -std::log(uniform()); }

double RandomStream::gumbel() noexcept { return -std::log(exponential()); }

std::size_t RandomStream::below(std::size_t n) noexcept {
  assert(n > 0);
  // Words below 2^64 mod n are rejected, so that the number of remaining words is a multiple of n.
  const std::uint64_t refused = -std::uint64_t{n} % n;
  std::uint64_t word = bits();
  while (word < refused) {
    word = bits();
  }
  return word % n;
}

}  // namespace oscbo::numeric
