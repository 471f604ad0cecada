// The row stage: in each row, learned tokens and the tokens of the features attend to each other.
// The outputs of the learned tokens together represent the row.
#pragma once

#include <vector>

#include "in_context/block.hpp"

namespace oscbo::in_context {

/// The intermediate values of a block of the row stage. The tokens of a row follow each other.
/// LN1 is the first layer norm (block.hpp).
template <class Scalar>
struct RowBlockPass {
  NormPass<Scalar> norm;
  Rows<Scalar> input;        // LN1 of all tokens
  Rows<Scalar> query_input;  // LN1 of the first tokens of each row, those that have queries
  Rows<Scalar> query;        // rotated, and scaled by 1 / sqrt(head width)
  Rows<Scalar> key_value;    // keys rotated
  Rows<Scalar> shares;       // softmax: row by row, head by head, query by query
  Rows<Scalar> attended;
  FeedForwardPass<Scalar> feed_forward;
};

template <class Scalar>
struct RowStagePass {
  std::vector<RowBlockPass<Scalar>> blocks;
  NormPass<Scalar> norm;
  Rows<Scalar> outputs;  // of the learned tokens
};

template <class Scalar>
class RowStage {
 public:
  /// The stage for rows with this many features. The weights must outlive it.
  RowStage(const Weights<Scalar>& weights, Index features);

  /// tokens returns the number of tokens of a row. The first row_cls of them are learned.
  [[nodiscard]] Index tokens() const { return tokens_; }

  /// apply turns tokens (rows * tokens() x E) into rows (rows x D). ModelConfig defines E and D.
  /// apply fills in the learned tokens and changes the other tokens. With `keep`, the pass keeps
  /// what the adjoint of every block needs.
  void apply(Rows<Scalar>& tokens, bool keep, RowStagePass<Scalar>& pass, Rows<Scalar>& rows) const;

  /// adjoint computes the adjoint of the tokens from the adjoint of the rows. It changes `rows`.
  void adjoint(RowStagePass<Scalar>& pass, Rows<Scalar>& rows, Rows<Scalar>& tokens) const;

 private:
  [[nodiscard]] Index head_width() const;
  /// attention_work returns the multiply-adds of attention in `rows` rows with `queries` queries
  /// each: those of the products of queries and keys, and those of the weighted sums of values.
  [[nodiscard]] Index attention_work(Index queries, Index rows) const;
  void block(const BlockWeights<Scalar>& weights, Index queries, RowBlockPass<Scalar>& pass,
             Rows<Scalar>& tokens) const;
  void block_adjoint(const BlockWeights<Scalar>& weights, Index queries, RowBlockPass<Scalar>& pass,
                     const Rows<Scalar>& output, Rows<Scalar>& tokens) const;
  void attend(Index queries, Index rows, RowBlockPass<Scalar>& pass) const;
  void attend_adjoint(Index queries, Index rows, const RowBlockPass<Scalar>& pass,
                      const Rows<Scalar>& attended, Rows<Scalar>& query,
                      Rows<Scalar>& key_value) const;

  /// rotate turns the first `width` entries of each row by the angles of the row's position, which
  /// is its index modulo `period`. `sign` is 1, or -1 to turn back.
  void rotate(Rows<Scalar>& rows, Index width, Index period, Scalar sign) const;

  const Weights<Scalar>* weights_;
  Index tokens_;
  Rows<Scalar> cosines_;  // positions x pairs of entries of a head
  Rows<Scalar> sines_;
};

}  // namespace oscbo::in_context
