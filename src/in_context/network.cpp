#include "in_context/network.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "numeric/parallel.hpp"

namespace oscbo::in_context {
namespace {

/// Rows that one thread takes at a time. Results do not depend on it.
constexpr Index kRowsAtOnce = 72;

/// Calls work(first row, number of rows) for blocks of rows, on several threads.
template <class Work>
void for_each_block(Index rows, const Work& work) {
  const Index blocks = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
  numeric::for_each_share(blocks, [&](Index block) {
    const Index first = block * kRowsAtOnce;
    work(first, std::min(kRowsAtOnce, rows - first));
  });
}

template <class Scalar>
Rows<Scalar> rows_from(const Rows<Scalar>& rows, Index first, Index count) {
  Rows<Scalar> part(count, rows.columns());
  std::copy_n(rows.row(first), part.size(), part.data());
  return part;
}

template <class Scalar>
Rows<Scalar> as_column(std::span<const Scalar> values) {
  Rows<Scalar> column(static_cast<Index>(values.size()), 1);
  std::copy(values.begin(), values.end(), column.data());
  return column;
}

/// Returns the features that slot j sees.
std::array<Index, kFeatureGroup> features_of(Index slot, Index features) {
  return {(slot + 1) % features, (slot + 2) % features, (slot + 4) % features};
}

/// Computes the keys and values that a block sees in rows.
template <class Scalar>
void keys_of(const BlockWeights<Scalar>& weights, const Rows<Scalar>& rows, BlockPass<Scalar>& pass,
             KeyValues<Scalar>& keys) {
  Rows<Scalar> key_value;
  apply_norm(weights.norm1, rows, pass.norm, pass.input);
  weights.key_value.apply(pass.input, key_value);
  keys.pack(key_value, 0, rows.rows(), weights.heads);
}

/// Returns the scaled queries of the inducing vectors, which do not depend on a slot.
template <class Scalar>
Rows<Scalar> inducing_queries(const InducedBlockWeights<Scalar>& weights, Index keys) {
  BlockPass<Scalar> pass;
  apply_norm(weights.gather.norm1, weights.inducing, pass.norm, pass.input);
  weights.gather.query.apply(pass.input, pass.scaling.query);
  scale_queries(weights.gather, query_factors(weights.gather, keys), pass.scaling, pass.scaled);
  return pass.scaled;
}

/// Returns what the inducing vectors gather from rows.
template <class Scalar>
Rows<Scalar> gathered(const InducedBlockWeights<Scalar>& weights, const Rows<Scalar>& queries,
                      const Rows<Scalar>& rows, BlockPass<Scalar>& pass) {
  KeyValues<Scalar> keys;
  keys_of(weights.gather, rows, pass, keys);
  pass.scaled = queries;
  attend_groups(std::span<const KeyValues<Scalar>>(&keys, 1), pass);
  Rows<Scalar> result = weights.inducing;
  weights.gather.out.apply(pass.attended, result, Store::add);
  feed_forward(weights.gather, pass.feed_forward, result);
  return result;
}

}  // namespace

// In the column stage, each thread works on one slot: it holds the rows of the slot, the passes of
// a block over them, keys and values, and the shares of the attention. In the in-context stage,
// keys and values of all blocks stay, the rows of one block are normed and become keys and values,
// and each thread holds the shares of some rows.
Index conditioning_scalars(const ModelConfig& config, Index features, Index threads) {
  const Index E = config.embed_dim;
  const Index D = config.row_width();
  const Index slot =
      (12 + 2 * config.feed_forward_factor) * E + config.column_heads * config.inducing_points;
  const Index column_stage = features * E + std::min(features, threads) * slot;
  const Index icl_stage =
      2 * D * config.icl_blocks + 5 * D + threads * kRowsAtOnce * config.icl_heads;
  return std::max(column_stage, icl_stage);
}

template <class Scalar>
ConditionedNetwork<Scalar>::ConditionedNetwork(std::shared_ptr<const Weights<Scalar>> weights,
                                               const Rows<Scalar>& X, std::span<const Scalar> y,
                                               ContextStages<Scalar>* stages)
    : weights_(std::move(weights)),
      size_(X.rows()),
      features_(X.columns()),
      row_stage_(*weights_, X.columns()) {
  for (const InducedBlockWeights<Scalar>& block : weights_->column_blocks) {
    column_factors_.push_back(query_factors(block.scatter, config().inducing_points));
  }
  for (const BlockWeights<Scalar>& block : weights_->icl_blocks) {
    icl_factors_.push_back(query_factors(block, size_));
  }
  Rows<Scalar> row(size_, config().row_width());
  {
    Rows<Scalar> column(features_ * size_, config().embed_dim);
    condition_column_stage(X, y, column);
    condition_row_stage(column, row);
    if (stages != nullptr) *stages = {.column = std::move(column), .row = row};
  }
  condition_icl_stage(y, row);
}

template <class Scalar>
Index ConditionedNetwork<Scalar>::scalars_held() const {
  Index sum = 0;
  for (const KeyValues<Scalar>& keys : icl_keys_) sum += keys.scalars_held();
  for (const std::vector<KeyValues<Scalar>>& slots : column_keys_) {
    for (const KeyValues<Scalar>& keys : slots) sum += keys.scalars_held();
  }
  return sum;
}

template <class Scalar>
void ConditionedNetwork<Scalar>::encode_features(const Rows<Scalar>& X, Index slot,
                                                 Scalar* values) const {
  const auto seen = features_of(slot, features_);
  Rows<Scalar> group(X.rows(), kFeatureGroup);
  for (Index i = 0; i < X.rows(); ++i) {
    for (Index k = 0; k < kFeatureGroup; ++k) {
      group(i, k) = X(i, seen[static_cast<std::size_t>(k)]);
    }
  }
  const Linear<Scalar>& encoder = weights_->feature_encoder;
  encoder.matrix.multiply(group.data(), kFeatureGroup, X.rows(), encoder.bias.data(), values,
                          config().embed_dim);
}

template <class Scalar>
void ConditionedNetwork<Scalar>::condition_column_stage(const Rows<Scalar>& X,
                                                        std::span<const Scalar> y,
                                                        Rows<Scalar>& column) {
  std::vector<Rows<Scalar>> queries;
  for (const InducedBlockWeights<Scalar>& block : weights_->column_blocks) {
    queries.push_back(inducing_queries(block, size_));
    column_keys_.emplace_back(static_cast<std::size_t>(features_));
  }
  const Rows<Scalar> target = as_column(y);
  numeric::for_each_share(features_,
                          [&](Index slot) { condition_slot(slot, X, target, queries, column); });
}

template <class Scalar>
void ConditionedNetwork<Scalar>::condition_slot(Index slot, const Rows<Scalar>& X,
                                                const Rows<Scalar>& y,
                                                const std::vector<Rows<Scalar>>& queries,
                                                Rows<Scalar>& column) {
  Rows<Scalar> rows(size_, config().embed_dim);
  encode_features(X, slot, rows.data());
  weights_->column_target_encoder.apply(y, rows, Store::add);
  BlockPass<Scalar> pass;
  for (std::size_t b = 0; b < weights_->column_blocks.size(); ++b) {
    const InducedBlockWeights<Scalar>& block = weights_->column_blocks[b];
    KeyValues<Scalar>& keys = column_keys_[b][static_cast<std::size_t>(slot)];
    keys_of(block.scatter, gathered(block, queries[b], rows, pass), pass, keys);
    apply_block(block.scatter, column_factors_[b], std::span<const KeyValues<Scalar>>(&keys, 1),
                pass, rows);
  }
  std::copy_n(rows.data(), rows.size(), column.row(slot * size_));
}

/// Arranges the outputs of the column stage for `count` of `all` rows, from row `first` on, by row.
/// The learned tokens of each row stay free.
template <class Scalar>
void ConditionedNetwork<Scalar>::to_tokens(const Rows<Scalar>& column, Index first, Index count,
                                           Index all, Rows<Scalar>& tokens) const {
  const Index learned = config().row_cls;
  tokens.resize(count * row_stage_.tokens(), config().embed_dim);
  for (Index i = 0; i < count; ++i) {
    for (Index slot = 0; slot < features_; ++slot) {
      std::copy_n(column.row(slot * all + first + i), column.columns(),
                  tokens.row(i * row_stage_.tokens() + learned + slot));
    }
  }
}

template <class Scalar>
void ConditionedNetwork<Scalar>::condition_row_stage(const Rows<Scalar>& column,
                                                     Rows<Scalar>& row) const {
  for_each_block(size_, [&](Index first, Index count) {
    Rows<Scalar> tokens;
    to_tokens(column, first, count, size_, tokens);
    RowStagePass<Scalar> pass;
    Rows<Scalar> part;
    row_stage_.apply(tokens, /*keep=*/false, pass, part);
    std::copy_n(part.data(), part.size(), row.row(first));
  });
}

template <class Scalar>
void ConditionedNetwork<Scalar>::condition_icl_stage(std::span<const Scalar> y, Rows<Scalar>& row) {
  weights_->icl_target_encoder.apply(as_column(y), row, Store::add);
  const std::size_t blocks = weights_->icl_blocks.size();
  icl_keys_.resize(blocks);
  for (std::size_t b = 0; b < blocks; ++b) {
    const BlockWeights<Scalar>& block = weights_->icl_blocks[b];
    BlockPass<Scalar> keys_pass;
    keys_of(block, row, keys_pass, icl_keys_[b]);
    if (b + 1 == blocks) break;  // only queries need the output of the last block
    for_each_block(size_, [&](Index first, Index count) {
      BlockPass<Scalar> pass;
      Rows<Scalar> part = rows_from(row, first, count);
      apply_block(block, icl_factors_[b], std::span<const KeyValues<Scalar>>(&icl_keys_[b], 1),
                  pass, part);
      std::copy_n(part.data(), part.size(), row.row(first));
    });
  }
}

template <class Scalar>
void ConditionedNetwork<Scalar>::quantiles(const Rows<Scalar>& X, Rows<Scalar>& quantiles) const {
  quantiles.resize(X.rows(), config().quantiles);
  for_each_block(X.rows(), [&](Index first, Index count) {
    QueryPass<Scalar> pass;
    forward(rows_from(X, first, count), /*keep=*/false, pass);
    std::copy_n(pass.quantiles.data(), pass.quantiles.size(), quantiles.row(first));
  });
}

template <class Scalar>
void ConditionedNetwork<Scalar>::forward(const Rows<Scalar>& X, bool keep,
                                         QueryPass<Scalar>& pass) const {
  pass.column.resize(features_ * X.rows(), config().embed_dim);
  for (Index slot = 0; slot < features_; ++slot) {
    encode_features(X, slot, pass.column.row(slot * X.rows()));
  }
  pass.column_blocks.resize(keep ? column_keys_.size() : 1);
  for (std::size_t b = 0; b < column_keys_.size(); ++b) {
    apply_block(weights_->column_blocks[b].scatter, column_factors_[b], column_keys_[b],
                pass.column_blocks[keep ? b : 0], pass.column);
  }

  Rows<Scalar> tokens;
  to_tokens(pass.column, 0, X.rows(), X.rows(), tokens);
  row_stage_.apply(tokens, keep, pass.row_stage, pass.row);

  Rows<Scalar> rows = pass.row;
  pass.icl_blocks.resize(keep ? icl_keys_.size() : 1);
  for (std::size_t b = 0; b < icl_keys_.size(); ++b) {
    apply_block(weights_->icl_blocks[b], icl_factors_[b],
                std::span<const KeyValues<Scalar>>(&icl_keys_[b], 1), pass.icl_blocks[keep ? b : 0],
                rows);
  }
  apply_norm(weights_->icl_norm, rows, pass.icl_norm, pass.icl);
  weights_->decoder.first.apply(pass.icl, pass.hidden);
  Rows<Scalar> active = pass.hidden;
  apply_gelu(active);
  weights_->decoder.second.apply(active, pass.quantiles);
}

template <class Scalar>
void ConditionedNetwork<Scalar>::adjoint(QueryPass<Scalar>& pass, const Rows<Scalar>& quantiles,
                                         Rows<Scalar>& X) const {
  const Index count = quantiles.rows();
  Rows<Scalar> active;
  weights_->decoder.second.adjoint(quantiles, active);
  scale_by_gelu_slope(pass.hidden, active);
  Rows<Scalar> icl;
  weights_->decoder.first.adjoint(active, icl);
  Rows<Scalar> rows(count, config().row_width());
  rows.set_zero();
  norm_adjoint(weights_->icl_norm, pass.icl_norm, icl, rows);
  for (std::size_t b = icl_keys_.size(); b-- > 0;) {
    block_adjoint(weights_->icl_blocks[b], icl_factors_[b],
                  std::span<const KeyValues<Scalar>>(&icl_keys_[b], 1), pass.icl_blocks[b], rows);
  }

  Rows<Scalar> tokens;
  row_stage_.adjoint(pass.row_stage, rows, tokens);
  Rows<Scalar> column(features_ * count, config().embed_dim);
  for (Index i = 0; i < count; ++i) {
    for (Index slot = 0; slot < features_; ++slot) {
      std::copy_n(tokens.row(i * row_stage_.tokens() + config().row_cls + slot), column.columns(),
                  column.row(slot * count + i));
    }
  }

  for (std::size_t b = column_keys_.size(); b-- > 0;) {
    block_adjoint(weights_->column_blocks[b].scatter, column_factors_[b], column_keys_[b],
                  pass.column_blocks[b], column);
  }
  Rows<Scalar> groups;
  weights_->feature_encoder.adjoint(column, groups);
  X.resize(count, features_);
  X.set_zero();
  for (Index slot = 0; slot < features_; ++slot) {
    const auto seen = features_of(slot, features_);
    for (Index i = 0; i < count; ++i) {
      for (Index k = 0; k < kFeatureGroup; ++k) {
        X(i, seen[static_cast<std::size_t>(k)]) += groups(slot * count + i, k);
      }
    }
  }
}

template class ConditionedNetwork<float>;
template class ConditionedNetwork<double>;

}  // namespace oscbo::in_context
