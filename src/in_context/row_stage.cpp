#include "in_context/row_stage.hpp"

#include <algorithm>
#include <cmath>

#include "in_context/packet.hpp"

namespace oscbo::in_context {
namespace {

/// Copies the first `taken` of every `period` rows.
template <class Scalar>
void take_first(const Rows<Scalar>& from, Index period, Index taken, Rows<Scalar>& to) {
  const Index groups = from.rows() / period;
  to.resize(groups * taken, from.columns());
  for (Index g = 0; g < groups; ++g) {
    std::copy_n(from.row(g * period), taken * from.columns(), to.row(g * taken));
  }
}

/// Adds rows to the first `taken` of every `period` rows.
template <class Scalar>
void add_to_first(const Rows<Scalar>& from, Index period, Index taken, Rows<Scalar>& to) {
  const Index groups = to.rows() / period;
  for (Index g = 0; g < groups; ++g) {
    const Scalar* const source = from.row(g * taken);
    Scalar* const target = to.row(g * period);
    for (Index i = 0; i < taken * to.columns(); ++i) target[i] += source[i];
  }
}

/// y += a x.
template <class Scalar>
void add_scaled(Scalar a, const Scalar* x, Index count, Scalar* y) {
  for (Index i = 0; i < count; ++i) y[i] += a * x[i];
}

}  // namespace

template <class Scalar>
RowStage<Scalar>::RowStage(const Weights<Scalar>& weights, Index features)
    : weights_(&weights), tokens_(weights.config.row_cls + features) {
  const std::vector<double>& frequencies = weights.rotation_frequencies;
  const auto pairs = static_cast<Index>(frequencies.size());
  cosines_.resize(tokens_, pairs);
  sines_.resize(tokens_, pairs);
  for (Index position = 0; position < tokens_; ++position) {
    for (Index i = 0; i < pairs; ++i) {
      const double angle = static_cast<double>(position) * frequencies[static_cast<std::size_t>(i)];
      cosines_(position, i) = static_cast<Scalar>(std::cos(angle));
      sines_(position, i) = static_cast<Scalar>(std::sin(angle));
    }
  }
}

template <class Scalar>
Index RowStage<Scalar>::head_width() const {
  return weights_->config.embed_dim / weights_->config.row_heads;
}

template <class Scalar>
Index RowStage<Scalar>::attention_work(Index queries, Index rows) const {
  return 2 * rows * queries * tokens_ * weights_->config.embed_dim;
}

// (a, b) -> (a cos - b sin, b cos + a sin) for the elements i and i + half of a head.
template <class Scalar>
void RowStage<Scalar>::rotate(Rows<Scalar>& rows, Index width, Index period, Scalar sign) const {
  const Index half = cosines_.columns();
  for (Index r = 0; r < rows.rows(); ++r) {
    const Scalar* const cosine = cosines_.row(r % period);
    const Scalar* const sine = sines_.row(r % period);
    for (Index head = 0; head < width; head += 2 * half) {
      Scalar* const first = rows.row(r) + head;
      Scalar* const second = first + half;
      for (Index i = 0; i < half; ++i) {
        const Scalar a = first[i];
        const Scalar b = second[i];
        first[i] = a * cosine[i] - sign * b * sine[i];
        second[i] = b * cosine[i] + sign * a * sine[i];
      }
    }
  }
}

template <class Scalar>
void RowStage<Scalar>::attend(Index queries, Index rows, RowBlockPass<Scalar>& pass) const {
  const Index heads = weights_->config.row_heads;
  const Index width = head_width();
  const Index value = weights_->config.embed_dim;  // the first column of the values
  pass.shares.resize(rows * heads * queries, round_up_to_chunks(tokens_));
  multiply_adds_done() += attention_work(queries, rows);
  for (Index r = 0; r < rows; ++r) {
    for (Index h = 0; h < heads; ++h) {
      for (Index i = 0; i < queries; ++i) {
        const Scalar* const query = pass.query.row(r * queries + i) + h * width;
        Scalar* const share = pass.shares.row((r * heads + h) * queries + i);
        for (Index j = 0; j < tokens_; ++j) {
          share[j] = dot(
              query, static_cast<const Scalar*>(pass.key_value.row(r * tokens_ + j)) + h * width,
              width);
        }
      }
    }
  }
  apply_softmax(pass.shares, 0, pass.shares.rows(), tokens_);
  pass.attended.resize(rows * queries, weights_->config.embed_dim);
  pass.attended.set_zero();
  for (Index r = 0; r < rows; ++r) {
    for (Index h = 0; h < heads; ++h) {
      for (Index i = 0; i < queries; ++i) {
        const Scalar* const share = pass.shares.row((r * heads + h) * queries + i);
        Scalar* const sum = pass.attended.row(r * queries + i) + h * width;
        for (Index j = 0; j < tokens_; ++j) {
          add_scaled(
              share[j],
              static_cast<const Scalar*>(pass.key_value.row(r * tokens_ + j)) + value + h * width,
              width, sum);
        }
      }
    }
  }
}

template <class Scalar>
void RowStage<Scalar>::attend_adjoint(Index queries, Index rows, const RowBlockPass<Scalar>& pass,
                                      const Rows<Scalar>& attended, Rows<Scalar>& query,
                                      Rows<Scalar>& key_value) const {
  const Index heads = weights_->config.row_heads;
  const Index width = head_width();
  const Index value = weights_->config.embed_dim;
  query.resize(rows * queries, weights_->config.embed_dim);
  key_value.resize(rows * tokens_, 2 * weights_->config.embed_dim);
  query.set_zero();
  key_value.set_zero();
  Rows<Scalar> adjoint(1, tokens_);
  multiply_adds_done() += 2 * attention_work(queries, rows);
  for (Index r = 0; r < rows; ++r) {
    for (Index h = 0; h < heads; ++h) {
      for (Index i = 0; i < queries; ++i) {
        const Scalar* const share = pass.shares.row((r * heads + h) * queries + i);
        const Scalar* const from = attended.row(r * queries + i) + h * width;
        for (Index j = 0; j < tokens_; ++j) {
          const Index column = value + h * width;
          adjoint(0, j) = dot(from, pass.key_value.row(r * tokens_ + j) + column, width);
          add_scaled(share[j], from, width, key_value.row(r * tokens_ + j) + column);
        }
        softmax_adjoint(share, tokens_, adjoint.data());
        const Scalar* const q = pass.query.row(r * queries + i) + h * width;
        Scalar* const into_query = query.row(r * queries + i) + h * width;
        for (Index j = 0; j < tokens_; ++j) {
          const Index row = r * tokens_ + j;
          add_scaled(adjoint(0, j), pass.key_value.row(row) + h * width, width, into_query);
          add_scaled(adjoint(0, j), q, width, key_value.row(row) + h * width);
        }
      }
    }
  }
}

template <class Scalar>
void RowStage<Scalar>::block(const BlockWeights<Scalar>& weights, Index queries,
                             RowBlockPass<Scalar>& pass, Rows<Scalar>& tokens) const {
  const Index rows = tokens.rows() / tokens_;
  const Index width = weights_->config.embed_dim;
  apply_norm(weights.norm1, tokens, pass.norm, pass.input);
  weights.key_value.apply(pass.input, pass.key_value);
  take_first(pass.input, tokens_, queries, pass.query_input);
  weights.query.apply(pass.query_input, pass.query);
  rotate(pass.key_value, width, tokens_, 1);
  rotate(pass.query, width, queries, 1);
  const auto factor = static_cast<Scalar>(1.0 / std::sqrt(static_cast<double>(head_width())));
  for (Index i = 0; i < pass.query.size(); ++i) pass.query.data()[i] *= factor;
  attend(queries, rows, pass);
  if (queries < tokens_) {
    Rows<Scalar> kept;
    take_first(tokens, tokens_, queries, kept);
    std::swap(tokens, kept);
  }
  weights.out.apply(pass.attended, tokens, Store::add);
  feed_forward(weights, pass.feed_forward, tokens);
}

template <class Scalar>
void RowStage<Scalar>::block_adjoint(const BlockWeights<Scalar>& weights, Index queries,
                                     RowBlockPass<Scalar>& pass, const Rows<Scalar>& output,
                                     Rows<Scalar>& tokens) const {
  const Index rows = output.rows() / queries;
  const Index width = weights_->config.embed_dim;
  Rows<Scalar> sum = output;  // the adjoint of u
  feed_forward_adjoint(weights, pass.feed_forward, sum);
  Rows<Scalar> attended;
  weights.out.adjoint(sum, attended);
  Rows<Scalar> query;
  Rows<Scalar> key_value;
  attend_adjoint(queries, rows, pass, attended, query, key_value);
  const auto factor = static_cast<Scalar>(1.0 / std::sqrt(static_cast<double>(head_width())));
  for (Index i = 0; i < query.size(); ++i) query.data()[i] *= factor;
  rotate(query, width, queries, -1);
  rotate(key_value, width, tokens_, -1);
  Rows<Scalar> input;
  weights.key_value.adjoint(key_value, input);
  weights.query.adjoint(query, attended);
  add_to_first(attended, tokens_, queries, input);
  tokens.resize(rows * tokens_, width);
  tokens.set_zero();
  add_to_first(sum, tokens_, queries, tokens);
  norm_adjoint(weights.norm1, pass.norm, input, tokens);
}

template <class Scalar>
void RowStage<Scalar>::apply(Rows<Scalar>& tokens, bool keep, RowStagePass<Scalar>& pass,
                             Rows<Scalar>& rows) const {
  const Index learned = weights_->config.row_cls;
  const Index count = tokens.rows() / tokens_;
  for (Index r = 0; r < count; ++r) {
    std::copy_n(weights_->cls_tokens.data(), weights_->cls_tokens.size(), tokens.row(r * tokens_));
  }
  const std::size_t blocks = weights_->row_blocks.size();
  pass.blocks.resize(keep ? blocks : 1);
  for (std::size_t b = 0; b < blocks; ++b) {
    const Index queries = b + 1 < blocks ? tokens_ : learned;
    block(weights_->row_blocks[b], queries, pass.blocks[keep ? b : 0], tokens);
  }
  apply_norm(weights_->row_norm, tokens, pass.norm, pass.outputs);
  rows.resize(count, weights_->config.row_width());
  std::copy_n(pass.outputs.data(), pass.outputs.size(), rows.data());
}

template <class Scalar>
void RowStage<Scalar>::adjoint(RowStagePass<Scalar>& pass, Rows<Scalar>& rows,
                               Rows<Scalar>& tokens) const {
  const Index learned = weights_->config.row_cls;
  Rows<Scalar> output(rows.rows() * learned, weights_->config.embed_dim);
  std::copy_n(rows.data(), rows.size(), output.data());
  Rows<Scalar> sum(output.rows(), output.columns());
  sum.set_zero();
  norm_adjoint(weights_->row_norm, pass.norm, output, sum);
  const std::size_t blocks = weights_->row_blocks.size();
  for (std::size_t b = blocks; b-- > 0;) {
    const Index queries = b + 1 < blocks ? tokens_ : learned;
    block_adjoint(weights_->row_blocks[b], queries, pass.blocks[b], sum, tokens);
    if (b > 0) std::swap(sum, tokens);
  }
}

template class RowStage<float>;
template class RowStage<double>;

}  // namespace oscbo::in_context
