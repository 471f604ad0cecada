// Packets of floats or doubles as wide as a register.
#pragma once

#include <cstring>
#include <utility>

#include "numeric/padded_matrix.hpp"

namespace oscbo::in_context {

using numeric::Index;

inline constexpr Index kPacketBytes = numeric::kLanes * static_cast<Index>(sizeof(double));

template <class Scalar>
struct PacketOf;
template <>
struct PacketOf<float> {
  using Type = float __attribute__((vector_size(kPacketBytes)));
};
template <>
struct PacketOf<double> {
  using Type = double __attribute__((vector_size(kPacketBytes)));
};

template <class Scalar>
using Packet = typename PacketOf<Scalar>::Type;

/// The number of entries in a packet.
template <class Scalar>
inline constexpr Index kWidth = kPacketBytes / static_cast<Index>(sizeof(Scalar));

/// round_up_to_width returns the smallest multiple of kWidth that is at least n.
template <class Scalar>
constexpr Index round_up_to_width(Index n) {
  return (n + kWidth<Scalar> - 1) / kWidth<Scalar> * kWidth<Scalar>;
}

/// load and store need no alignment.
template <class Scalar>
inline void load(Packet<Scalar>& packet, const Scalar* from) {
  std::memcpy(&packet, from, sizeof(packet));
}
template <class Scalar>
inline void store(const Packet<Scalar>& packet, Scalar* to) {
  std::memcpy(to, &packet, sizeof(packet));
}

/// load_some loads `count` entries, at most kWidth; the other lanes are zero.
template <class Scalar>
inline void load_some(Packet<Scalar>& packet, const Scalar* from, Index count) {
  packet = Packet<Scalar>{};
  std::memcpy(&packet, from, static_cast<std::size_t>(count) * sizeof(Scalar));
}

/// add_partners adds to each lane its partner, the lane whose number differs only in the bit
/// `half`.
template <class Scalar, int half, int... lanes>
inline void add_partners(Packet<Scalar>& packet, std::integer_sequence<int, lanes...> /*lanes*/) {
  packet += __builtin_shufflevector(packet, packet, (lanes ^ half)...);
}

/// sum_of_lanes adds the lanes in a fixed order: those that are half a packet apart, then a
/// quarter, and so on.
template <class Scalar>
inline Scalar sum_of_lanes(const Packet<Scalar>& lanes) {
  Packet<Scalar> packet = lanes;
  constexpr auto kLanes = std::make_integer_sequence<int, static_cast<int>(kWidth<Scalar>)>();
  if constexpr (kWidth<Scalar> >= 16) add_partners<Scalar, 8>(packet, kLanes);
  if constexpr (kWidth<Scalar> >= 8) add_partners<Scalar, 4>(packet, kLanes);
  add_partners<Scalar, 2>(packet, kLanes);
  add_partners<Scalar, 1>(packet, kLanes);
  return packet[0];
}

/// sum_over calls term(sum, i, entries) for each packet in turn and returns the sum of the lanes of
/// `sum`. i is the first entry of the packet, and `entries` is the number of its entries, less than
/// kWidth in an incomplete last packet. `term` adds to `sum`. The order of additions depends on
/// `count` alone, not on addresses.
template <class Scalar, class Term>
inline Scalar sum_over(Index count, const Term& term) {
  Packet<Scalar> sum{};
  Index i = 0;
  for (; i + kWidth<Scalar> <= count; i += kWidth<Scalar>) term(sum, i, kWidth<Scalar>);
  if (i < count) term(sum, i, count - i);
  return sum_of_lanes<Scalar>(sum);
}

/// dot returns the inner product of a and b.
template <class Scalar>
inline Scalar dot(const Scalar* a, const Scalar* b, Index count) {
  return sum_over<Scalar>(count, [a, b](Packet<Scalar>& sum, Index i, Index entries) {
    Packet<Scalar> left;
    Packet<Scalar> right;
    if (entries == kWidth<Scalar>) {
      load(left, a + i);
      load(right, b + i);
    } else {
      load_some(left, a + i, entries);
      load_some(right, b + i, entries);
    }
    sum += left * right;
  });
}

}  // namespace oscbo::in_context
