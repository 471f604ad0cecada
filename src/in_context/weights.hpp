// The weights of an in-context regressor, packed for matrix products.
#pragma once

#include <optional>
#include <vector>

#include "in_context/functions.hpp"
#include "in_context/model_config.hpp"
#include "in_context/packed_matrix.hpp"
#include "in_context/rows.hpp"
#include "in_context/safetensors.hpp"

namespace oscbo::in_context {

/// y = W x + bias. `matrix` is the transpose of W.
template <class Scalar>
struct Linear {
  PackedMatrix<Scalar> matrix;
  typename Rows<Scalar>::Array bias;

  /// apply computes Y = X W^T + bias, or adds it to Y.
  void apply(const Rows<Scalar>& x, Rows<Scalar>& y, Store store = Store::overwrite) const;

  /// adjoint computes the adjoint of X from the adjoint of Y, or adds it to `x`.
  void adjoint(const Rows<Scalar>& y, Rows<Scalar>& x, Store store = Store::overwrite) const;
};

/// Two layers with a GELU between them.
template <class Scalar>
struct TwoLayers {
  Linear<Scalar> first;
  Linear<Scalar> second;
};

/// How the queries of a head are scaled, given the number n of keys (QASSMax):
///   q <- q * base(ln n) * (1 + tanh(gate(q)))
/// `base` has one output for each element of each head; the heads share `gate`.
template <class Scalar>
struct QueryScaling {
  TwoLayers<Scalar> base;
  TwoLayers<Scalar> gate;
};

/// A transformer block. One norm comes before the attention, the other before the feed-forward
/// network.
template <class Scalar>
struct BlockWeights {
  Index heads = 1;
  Norm<Scalar> norm1;  // of queries, keys and values
  Linear<Scalar> query;
  Linear<Scalar> key_value;  // keys, then values
  std::optional<QueryScaling<Scalar>> scaling;
  Linear<Scalar> out;
  Norm<Scalar> norm2;
  TwoLayers<Scalar> feed_forward;

  [[nodiscard]] Index width() const { return query.matrix.columns(); }
  [[nodiscard]] Index head_width() const { return width() / heads; }
};

/// A block of the column stage: a few learned vectors attend to the rows, then the rows attend to
/// the result.
template <class Scalar>
struct InducedBlockWeights {
  Rows<Scalar> inducing;
  BlockWeights<Scalar> gather;   // inducing vectors attend to rows
  BlockWeights<Scalar> scatter;  // rows attend to the result
};

template <class Scalar>
struct Weights {
  ModelConfig config;

  Linear<Scalar> feature_encoder;
  Linear<Scalar> column_target_encoder;
  std::vector<InducedBlockWeights<Scalar>> column_blocks;

  Rows<Scalar> cls_tokens;
  std::vector<double> rotation_frequencies;
  std::vector<BlockWeights<Scalar>> row_blocks;
  Norm<Scalar> row_norm;

  Linear<Scalar> icl_target_encoder;
  std::vector<BlockWeights<Scalar>> icl_blocks;
  Norm<Scalar> icl_norm;
  TwoLayers<Scalar> decoder;

  /// read takes the weights from a file. Throws Error (invalid_value) if its configuration is not
  /// supported, if a tensor is missing, unknown or has another shape, or if a weight is not finite.
  [[nodiscard]] static Weights read(const TensorFile& file);
};

}  // namespace oscbo::in_context
