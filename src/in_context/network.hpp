// The in-context regressor: quantiles of y at query rows, given rows with known y as context.
//
//   column stage   a token for each row and feature, from the feature's values in the context
//   row stage      the tokens of a row become one vector
//   in-context     query rows attend to context rows; a decoder turns the result into quantiles
//
// Query rows do not influence the context or each other. Whatever depends on the context alone is
// computed once. The quantiles at a row have the same bits in any batch and with any number of
// threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "in_context/row_stage.hpp"

namespace oscbo::in_context {

/// The outputs of a forward pass, and the values that its adjoint needs. ModelConfig defines the
/// sizes E, D and K.
template <class Scalar>
struct QueryPass {
  std::vector<BlockPass<Scalar>> column_blocks;
  RowStagePass<Scalar> row_stage;
  std::vector<BlockPass<Scalar>> icl_blocks;
  NormPass<Scalar> icl_norm;
  Rows<Scalar> hidden;  // of the decoder, before its GELU

  Rows<Scalar> column;     // features * rows x E, feature by feature
  Rows<Scalar> row;        // rows x D
  Rows<Scalar> icl;        // rows x D
  Rows<Scalar> quantiles;  // rows x K, not sorted
};

/// The outputs of the first two stages for the rows of a context.
template <class Scalar>
struct ContextStages {
  Rows<Scalar> column;
  Rows<Scalar> row;
};

/// conditioning_scalars returns how many numbers ConditionedNetwork's constructor holds at once for
/// each row of a long context, on this many threads.
[[nodiscard]] Index conditioning_scalars(const ModelConfig& config, Index features, Index threads);

template <class Scalar>
class ConditionedNetwork {
 public:
  /// Conditions on the rows of X (n x features) and their values y, n > 0. Unless `stages` is null,
  /// it receives the outputs of the first two stages.
  ConditionedNetwork(std::shared_ptr<const Weights<Scalar>> weights, const Rows<Scalar>& X,
                     std::span<const Scalar> y, ContextStages<Scalar>* stages = nullptr);

  [[nodiscard]] const ModelConfig& config() const { return weights_->config; }
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index features() const { return features_; }

  /// scalars_held returns how many numbers the object keeps for the context. The shared weights do
  /// not count.
  [[nodiscard]] Index scalars_held() const;

  /// quantiles computes the quantiles at the rows of X, at the levels i / (K + 1), i = 1..K. They
  /// need not increase. Threads share the rows.
  void quantiles(const Rows<Scalar>& X, Rows<Scalar>& quantiles) const;

  /// forward computes the quantiles at the rows of X on one thread and writes them to the pass. If
  /// `keep`, the pass also holds what `adjoint` needs.
  void forward(const Rows<Scalar>& X, bool keep, QueryPass<Scalar>& pass) const;

  /// adjoint computes, for every row, the gradient of a function of that row's quantiles. On entry,
  /// row i of `quantiles` is the gradient with respect to the quantiles at row i of the pass. On
  /// return, row i of `X` is the gradient with respect to the features of row i. `adjoint` may be
  /// called again for another function of the same pass.
  void adjoint(QueryPass<Scalar>& pass, const Rows<Scalar>& quantiles, Rows<Scalar>& X) const;

 private:
  using Array = typename Rows<Scalar>::Array;

  void encode_features(const Rows<Scalar>& X, Index slot, Scalar* values) const;
  void condition_column_stage(const Rows<Scalar>& X, std::span<const Scalar> y,
                              Rows<Scalar>& column);
  void condition_slot(Index slot, const Rows<Scalar>& X, const Rows<Scalar>& y,
                      const std::vector<Rows<Scalar>>& queries, Rows<Scalar>& column);
  void condition_row_stage(const Rows<Scalar>& column, Rows<Scalar>& row) const;
  void condition_icl_stage(std::span<const Scalar> y, Rows<Scalar>& row);
  void to_tokens(const Rows<Scalar>& column, Index first, Index count, Index all,
                 Rows<Scalar>& tokens) const;

  std::shared_ptr<const Weights<Scalar>> weights_;
  Index size_;
  Index features_;
  RowStage<Scalar> row_stage_;
  std::vector<std::vector<KeyValues<Scalar>>> column_keys_;  // by block, then slot (kFeatureGroup)
  std::vector<KeyValues<Scalar>> icl_keys_;                  // by block
  std::vector<Array> column_factors_;                        // query_factors, by block
  std::vector<Array> icl_factors_;                           // query_factors, by block
};

}  // namespace oscbo::in_context
