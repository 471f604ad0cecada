#include "in_context/block.hpp"

#include <algorithm>
#include <cmath>

namespace oscbo::in_context {
namespace {

/// Sees rows of all heads as rows of single heads.
template <class Scalar>
void apply_to_heads(const Linear<Scalar>& layer, const Rows<Scalar>& x, Rows<Scalar>& y) {
  const Index width = layer.matrix.depth();
  const Index rows = x.size() / width;
  y.resize(rows, layer.matrix.columns());
  layer.matrix.multiply(x.data(), width, rows, layer.bias.data(), y.data(), y.columns());
}

/// Computes what `count` queries, the rows from `first` on, take from keys and values.
template <class Scalar>
void attend(const Rows<Scalar>& scaled, Index first, Index count, const KeyValues<Scalar>& kv,
            Rows<Scalar>& shares, Rows<Scalar>& attended) {
  const Index width = scaled.columns();
  const Index heads = kv.heads();
  for (Index h = 0; h < heads; ++h) {
    const Index element = h * (width / heads);
    kv.keys(h).multiply(scaled.row(first) + element, width, count, nullptr,
                        shares.row(first * heads + h * count), shares.columns());
  }
  apply_softmax(shares, first * heads, count * heads, kv.count());
  for (Index h = 0; h < heads; ++h) {
    const Index element = h * (width / heads);
    kv.values(h).multiply(shares.row(first * heads + h * count), shares.columns(), count, nullptr,
                          attended.row(first) + element, width);
  }
}

template <class Scalar>
void attend_adjoint(const Rows<Scalar>& shares, Index first, Index count,
                    const KeyValues<Scalar>& kv, const Rows<Scalar>& attended_adjoint,
                    Rows<Scalar>& scaled_adjoint) {
  const Index width = attended_adjoint.columns();
  const Index heads = kv.heads();
  Rows<Scalar> adjoint(count, shares.columns());
  for (Index h = 0; h < heads; ++h) {
    const Index element = h * (width / heads);
    kv.values(h).multiply_transposed(attended_adjoint.row(first) + element, width, count,
                                     adjoint.data(), adjoint.columns());
    for (Index i = 0; i < count; ++i) {
      softmax_adjoint(shares.row(first * heads + h * count + i), kv.count(), adjoint.row(i));
    }
    kv.keys(h).multiply_transposed(adjoint.data(), adjoint.columns(), count,
                                   scaled_adjoint.row(first) + element, width);
  }
}

}  // namespace

template <class Scalar>
void KeyValues<Scalar>::pack(const Rows<Scalar>& key_value, Index first, Index count, Index heads) {
  const Index width = key_value.columns() / 2;
  const Index head_width = width / heads;
  count_ = count;
  keys_.resize(static_cast<std::size_t>(heads));
  values_.resize(static_cast<std::size_t>(heads));
  for (Index h = 0; h < heads; ++h) {
    const Index key = h * head_width;
    const Index value = width + key;
    keys_[static_cast<std::size_t>(h)].pack(
        head_width, count, [&](Index k, Index j) { return key_value(first + j, key + k); });
    values_[static_cast<std::size_t>(h)].pack(
        count, head_width, [&](Index j, Index k) { return key_value(first + j, value + k); });
  }
}

template <class Scalar>
Index KeyValues<Scalar>::scalars_held() const {
  Index sum = 0;
  for (const PackedMatrix<Scalar>& keys : keys_) sum += keys.scalars_held();
  for (const PackedMatrix<Scalar>& values : values_) sum += values.scalars_held();
  return sum;
}

template <class Scalar>
typename Rows<Scalar>::Array query_factors(const BlockWeights<Scalar>& weights, Index keys) {
  using Array = typename Rows<Scalar>::Array;
  const auto root = static_cast<Scalar>(1.0 / std::sqrt(static_cast<double>(weights.head_width())));
  if (!weights.scaling) return Array::Constant(weights.width(), root);
  Rows<Scalar> logarithm(1, 1);
  logarithm(0, 0) = static_cast<Scalar>(std::log(static_cast<double>(std::max<Index>(keys, 1))));
  Rows<Scalar> hidden;
  weights.scaling->base.first.apply(logarithm, hidden);
  apply_gelu(hidden);
  Rows<Scalar> base;
  weights.scaling->base.second.apply(hidden, base);
  Array factors(weights.width());
  for (Index j = 0; j < factors.size(); ++j) factors[j] = root * base(0, j);
  return factors;
}

template <class Scalar>
void scale_queries(const BlockWeights<Scalar>& weights, const typename Rows<Scalar>::Array& factors,
                   ScalingPass<Scalar>& pass, Rows<Scalar>& scaled) {
  const Rows<Scalar>& query = pass.query;
  scaled.resize(query.rows(), query.columns());
  const bool is_gated = weights.scaling.has_value();
  if (is_gated) {
    const TwoLayers<Scalar>& gate = weights.scaling->gate;
    apply_to_heads(gate.first, query, pass.hidden);
    pass.scratch = pass.hidden;
    apply_gelu(pass.scratch);
    apply_to_heads(gate.second, pass.scratch, pass.gate);
    apply_tanh(pass.gate);
  }
  for (Index i = 0; i < query.rows(); ++i) {
    const Scalar* const q = query.row(i);
    Scalar* const s = scaled.row(i);
    for (Index j = 0; j < query.columns(); ++j) s[j] = q[j] * factors[j];
    if (!is_gated) continue;
    const Scalar* const gate = pass.gate.data() + i * query.columns();
    for (Index j = 0; j < query.columns(); ++j) s[j] *= Scalar(1) + gate[j];
  }
}

// With s = f q (1 + g), g = tanh(G(q)): the adjoint of q is f (1 + g) s' + G'^T (f q (1 - g^2) s').
template <class Scalar>
void scale_queries_adjoint(const BlockWeights<Scalar>& weights,
                           const typename Rows<Scalar>::Array& factors, ScalingPass<Scalar>& pass,
                           Rows<Scalar>& adjoint) {
  const Index width = adjoint.columns();
  if (!weights.scaling) {
    for (Index i = 0; i < adjoint.rows(); ++i) {
      for (Index j = 0; j < width; ++j) adjoint(i, j) *= factors[j];
    }
    return;
  }
  const Index head_width = weights.head_width();
  Rows<Scalar> gate_adjoint(pass.gate.rows(), pass.gate.columns());
  for (Index i = 0; i < adjoint.rows(); ++i) {
    const Scalar* const gate = pass.gate.data() + i * width;
    Scalar* const into_gate = gate_adjoint.data() + i * width;
    for (Index j = 0; j < width; ++j) {
      const Scalar scaled = factors[j] * adjoint(i, j);
      into_gate[j] = scaled * pass.query(i, j) * (Scalar(1) - gate[j] * gate[j]);
      adjoint(i, j) = scaled * (Scalar(1) + gate[j]);
    }
  }
  const TwoLayers<Scalar>& gate = weights.scaling->gate;
  gate.second.adjoint(gate_adjoint, pass.scratch);
  scale_by_gelu_slope(pass.hidden, pass.scratch);
  gate.first.matrix.multiply_transposed(pass.scratch.data(), pass.scratch.columns(),
                                        pass.scratch.rows(), adjoint.data(), head_width,
                                        Store::add);
}

template <class Scalar>
void attend_groups(KeyValueGroups<Scalar> groups, BlockPass<Scalar>& pass) {
  const Index rows = pass.scaled.rows();
  const Index count = rows / static_cast<Index>(groups.size());
  pass.shares.resize(rows * groups.front().heads(), round_up_to_chunks(groups.front().count()));
  pass.attended.resize(rows, pass.scaled.columns());
  Index first = 0;
  for (const KeyValues<Scalar>& kv : groups) {
    attend(pass.scaled, first, count, kv, pass.shares, pass.attended);
    first += count;
  }
}

template <class Scalar>
void feed_forward(const BlockWeights<Scalar>& weights, FeedForwardPass<Scalar>& pass,
                  Rows<Scalar>& rows) {
  apply_norm(weights.norm2, rows, pass.norm, pass.input);
  weights.feed_forward.first.apply(pass.input, pass.hidden);
  pass.active = pass.hidden;
  apply_gelu(pass.active);
  weights.feed_forward.second.apply(pass.active, rows, Store::add);
}

template <class Scalar>
void feed_forward_adjoint(const BlockWeights<Scalar>& weights, FeedForwardPass<Scalar>& pass,
                          Rows<Scalar>& adjoint) {
  weights.feed_forward.second.adjoint(adjoint, pass.active);
  scale_by_gelu_slope(pass.hidden, pass.active);
  weights.feed_forward.first.adjoint(pass.active, pass.input);
  norm_adjoint(weights.norm2, pass.norm, pass.input, adjoint);
}

template <class Scalar>
void apply_block(const BlockWeights<Scalar>& weights, const typename Rows<Scalar>::Array& factors,
                 KeyValueGroups<Scalar> groups, BlockPass<Scalar>& pass, Rows<Scalar>& rows) {
  apply_norm(weights.norm1, rows, pass.norm, pass.input);
  weights.query.apply(pass.input, pass.scaling.query);
  scale_queries(weights, factors, pass.scaling, pass.scaled);
  attend_groups(groups, pass);
  weights.out.apply(pass.attended, rows, Store::add);
  feed_forward(weights, pass.feed_forward, rows);
}

template <class Scalar>
void block_adjoint(const BlockWeights<Scalar>& weights, const typename Rows<Scalar>::Array& factors,
                   KeyValueGroups<Scalar> groups, BlockPass<Scalar>& pass, Rows<Scalar>& adjoint) {
  feed_forward_adjoint(weights, pass.feed_forward, adjoint);
  weights.out.adjoint(adjoint, pass.attended);
  pass.scaled.resize(adjoint.rows(), adjoint.columns());
  const Index count = adjoint.rows() / static_cast<Index>(groups.size());
  Index first = 0;
  for (const KeyValues<Scalar>& kv : groups) {
    attend_adjoint(pass.shares, first, count, kv, pass.attended, pass.scaled);
    first += count;
  }
  scale_queries_adjoint(weights, factors, pass.scaling, pass.scaled);
  weights.query.adjoint(pass.scaled, pass.input);
  norm_adjoint(weights.norm1, pass.norm, pass.input, adjoint);
}

#define OSCBO_INSTANTIATE(Scalar)                                                                \
  template class KeyValues<Scalar>;                                                              \
  template typename Rows<Scalar>::Array query_factors(const BlockWeights<Scalar>&, Index);       \
  template void scale_queries(const BlockWeights<Scalar>&, const typename Rows<Scalar>::Array&,  \
                              ScalingPass<Scalar>&, Rows<Scalar>&);                              \
  template void scale_queries_adjoint(const BlockWeights<Scalar>&,                               \
                                      const typename Rows<Scalar>::Array&, ScalingPass<Scalar>&, \
                                      Rows<Scalar>&);                                            \
  template void attend_groups(KeyValueGroups<Scalar>, BlockPass<Scalar>&);                       \
  template void feed_forward(const BlockWeights<Scalar>&, FeedForwardPass<Scalar>&,              \
                             Rows<Scalar>&);                                                     \
  template void feed_forward_adjoint(const BlockWeights<Scalar>&, FeedForwardPass<Scalar>&,      \
                                     Rows<Scalar>&);                                             \
  template void apply_block(const BlockWeights<Scalar>&, const typename Rows<Scalar>::Array&,    \
                            KeyValueGroups<Scalar>, BlockPass<Scalar>&, Rows<Scalar>&);          \
  template void block_adjoint(const BlockWeights<Scalar>&, const typename Rows<Scalar>::Array&,  \
                              KeyValueGroups<Scalar>, BlockPass<Scalar>&, Rows<Scalar>&)
OSCBO_INSTANTIATE(float);
OSCBO_INSTANTIATE(double);
#undef OSCBO_INSTANTIATE

}  // namespace oscbo::in_context
