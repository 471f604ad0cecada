// The shape of an in-context regressor, as its file of weights declares it. network.hpp describes
// the stages.
#pragma once

#include <map>
#include <string>

#include "numeric/padded_matrix.hpp"

namespace oscbo::in_context {

using numeric::Index;

struct ModelConfig {
  Index embed_dim = 0;  // E: width of a token of the column and row stages
  Index column_blocks = 0;
  Index column_heads = 0;
  Index inducing_points = 0;  // per column block
  Index row_blocks = 0;
  Index row_heads = 0;
  Index row_cls = 0;     // tokens whose outputs represent a row
  Index icl_blocks = 0;  // blocks of the in-context stage
  Index icl_heads = 0;
  Index feed_forward_factor = 0;
  Index quantiles = 0;  // K: levels i / (K + 1), i = 1..K

  /// row_width returns D, the width of a row in the in-context stage.
  [[nodiscard]] Index row_width() const { return row_cls * embed_dim; }

  /// from_metadata reads the strings that describe the model. Throws Error (invalid_value) if a key
  /// is missing or has a value that oscbo does not support. The error names `source` and the key.
  [[nodiscard]] static ModelConfig from_metadata(const std::map<std::string, std::string>& metadata,
                                                 const std::string& source);
};

/// The width of the hidden layers of the networks that scale the queries of attention
/// (QueryScaling).
inline constexpr Index kScalingWidth = 64;

/// The column stage has as many slots as there are features. Slot j holds three features: j + 1,
/// j + 2 and j + 4, modulo the number of features.
inline constexpr Index kFeatureGroup = 3;

}  // namespace oscbo::in_context
