// The parts of a transformer block, each with its adjoint:
//
//   u = x + A(LN1(x), keys and values)       A: attention with several heads
//   out = u + W2 GELU(W1 LN2(u) + b1) + b2
//
// All three stages of the network use these parts. The stages differ in where keys and values come
// from. A Pass keeps what the adjoint needs. If no adjoint follows, all blocks may share one Pass.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "in_context/weights.hpp"

namespace oscbo::in_context {

/// Keys and values that many queries attend to, packed by head.
template <class Scalar>
class KeyValues {
 public:
  /// pack takes the keys and values of `count` rows of `key_value` from row `first` on. A row holds
  /// the keys of all heads, then their values.
  void pack(const Rows<Scalar>& key_value, Index first, Index count, Index heads);

  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Index heads() const { return static_cast<Index>(keys_.size()); }
  [[nodiscard]] Index scalars_held() const;

  /// The keys of a head are the columns of keys(head), its values the rows of values(head).
  [[nodiscard]] const PackedMatrix<Scalar>& keys(Index head) const {
    return keys_[static_cast<std::size_t>(head)];
  }
  [[nodiscard]] const PackedMatrix<Scalar>& values(Index head) const {
    return values_[static_cast<std::size_t>(head)];
  }

 private:
  Index count_ = 0;
  std::vector<PackedMatrix<Scalar>> keys_;
  std::vector<PackedMatrix<Scalar>> values_;
};

/// query_factors returns the numbers by which scale_queries multiplies queries. They depend on the
/// number n of keys:
///   base(ln max(n, 1)) / sqrt(head width) with QASSMax (QueryScaling in weights.hpp),
///   1 / sqrt(head width)                  without.
template <class Scalar>
[[nodiscard]] typename Rows<Scalar>::Array query_factors(const BlockWeights<Scalar>& weights,
                                                         Index keys);

/// The intermediate values of scale_queries.
template <class Scalar>
struct ScalingPass {
  Rows<Scalar> query;   // before scaling
  Rows<Scalar> hidden;  // of the gate, before its GELU
  Rows<Scalar> gate;    // tanh(...)
  Rows<Scalar> scratch;
};
/// scale_queries multiplies queries by `factors`, and with QASSMax by 1 + tanh(gate(q)).
template <class Scalar>
void scale_queries(const BlockWeights<Scalar>& weights, const typename Rows<Scalar>::Array& factors,
                   ScalingPass<Scalar>& pass, Rows<Scalar>& scaled);
/// scale_queries_adjoint replaces the adjoint of the scaled queries by the adjoint of the queries.
template <class Scalar>
void scale_queries_adjoint(const BlockWeights<Scalar>& weights,
                           const typename Rows<Scalar>::Array& factors, ScalingPass<Scalar>& pass,
                           Rows<Scalar>& adjoint);

/// The intermediate values of feed_forward.
template <class Scalar>
struct FeedForwardPass {
  NormPass<Scalar> norm;
  Rows<Scalar> input;
  Rows<Scalar> hidden;  // before the GELU
  Rows<Scalar> active;
};
/// feed_forward adds the output of the feed-forward network of a block to `rows`.
template <class Scalar>
void feed_forward(const BlockWeights<Scalar>& weights, FeedForwardPass<Scalar>& pass,
                  Rows<Scalar>& rows);
/// feed_forward_adjoint replaces the adjoint of the rows after feed_forward by the adjoint of the
/// rows before it.
template <class Scalar>
void feed_forward_adjoint(const BlockWeights<Scalar>& weights, FeedForwardPass<Scalar>& pass,
                          Rows<Scalar>& adjoint);

/// The intermediate values of a block whose queries come from rows. Keys and values are given.
template <class Scalar>
struct BlockPass {
  NormPass<Scalar> norm;
  Rows<Scalar> input;
  ScalingPass<Scalar> scaling;
  Rows<Scalar> scaled;
  Rows<Scalar> shares;
  Rows<Scalar> attended;
  FeedForwardPass<Scalar> feed_forward;
};

/// The keys and values of groups of rows. The groups have equal size and follow each other.
template <class Scalar>
using KeyValueGroups = std::type_identity_t<std::span<const KeyValues<Scalar>>>;

/// attend_groups computes softmax(q k) v for each head of the scaled queries. Each group of rows
/// attends to its own keys and values. The rows of `shares` are the softmax, ordered by group and
/// then by head.
template <class Scalar>
void attend_groups(KeyValueGroups<Scalar> groups, BlockPass<Scalar>& pass);

/// apply_block replaces rows by the output of the block.
template <class Scalar>
void apply_block(const BlockWeights<Scalar>& weights, const typename Rows<Scalar>::Array& factors,
                 KeyValueGroups<Scalar> groups, BlockPass<Scalar>& pass, Rows<Scalar>& rows);
/// block_adjoint replaces the adjoint of the output by the adjoint of the rows.
template <class Scalar>
void block_adjoint(const BlockWeights<Scalar>& weights, const typename Rows<Scalar>::Array& factors,
                   KeyValueGroups<Scalar> groups, BlockPass<Scalar>& pass, Rows<Scalar>& adjoint);

}  // namespace oscbo::in_context
