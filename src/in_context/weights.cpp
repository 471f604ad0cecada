#include "in_context/weights.hpp"

#include <array>
#include <set>
#include <string>

#include <fmt/format.h>

namespace oscbo::in_context {
namespace {

/// Reads the layers of a file by name, and remembers which tensors they used.
template <class Scalar>
class WeightReader {
 public:
  explicit WeightReader(const TensorFile& file) : file_(file) {}

  [[nodiscard]] Rows<Scalar> rows(const std::string& name, Index rows, Index columns) {
    // Nothing is allocated for a tensor that the file does not have.
    static_cast<void>(file_.tensor(name, std::array{rows, columns}));
    Rows<Scalar> values(rows, columns);
    copy(name, std::array{rows, columns}, values.data(), values.size());
    return values;
  }

  [[nodiscard]] typename Rows<Scalar>::Array array(const std::string& name, Index size) {
    static_cast<void>(file_.tensor(name, std::array{size}));
    typename Rows<Scalar>::Array values(size);
    copy(name, std::array{size}, values.data(), size);
    return values;
  }

  [[nodiscard]] std::vector<double> numbers(const std::string& name, Index size) {
    static_cast<void>(file_.tensor(name, std::array{size}));
    std::vector<double> values(static_cast<std::size_t>(size));
    used_.insert(name);
    file_.copy(name, std::array{size}, std::span(values));
    return values;
  }

  [[nodiscard]] Linear<Scalar> linear(const std::string& name, Index inputs, Index outputs) {
    const Rows<Scalar> weights = rows(name + ".weight", outputs, inputs);
    return linear(weights, array(name + ".bias", outputs), 0, outputs);
  }

  [[nodiscard]] Norm<Scalar> norm(const std::string& name, Index size) {
    Norm<Scalar> result{.gain = array(name + ".weight", size), .offset = {}};
    const std::string bias = name + ".bias";
    if (file_.tensors().contains(bias)) result.offset = array(bias, size);
    return result;
  }

  /// Layers 0 and 2 of a sequence; number 1 is the GELU.
  [[nodiscard]] TwoLayers<Scalar> two_layers(const std::string& name, Index inputs, Index hidden,
                                             Index outputs) {
    return {.first = linear(name + ".0", inputs, hidden),
            .second = linear(name + ".2", hidden, outputs)};
  }

  [[nodiscard]] BlockWeights<Scalar> block(const std::string& name, Index width, Index heads,
                                           Index feed_forward, bool is_scaled) {
    BlockWeights<Scalar> result;
    result.heads = heads;
    result.norm1 = norm(name + ".norm1", width);
    const Rows<Scalar> in = rows(name + ".attn.in_proj_weight", 3 * width, width);
    const auto bias = array(name + ".attn.in_proj_bias", 3 * width);
    result.query = linear(in, bias, 0, width);
    result.key_value = linear(in, bias, width, 2 * width);
    if (is_scaled) result.scaling = scaling(name + ".attn.ssmax_layer", width, width / heads);
    result.out = linear(name + ".attn.out_proj", width, width);
    result.norm2 = norm(name + ".norm2", width);
    result.feed_forward = {.first = linear(name + ".linear1", width, feed_forward),
                           .second = linear(name + ".linear2", feed_forward, width)};
    return result;
  }

  void refuse_unused() const {
    for (const auto& [name, tensor] : file_.tensors()) {
      if (!used_.contains(name)) {
        file_.refuse(name, "does not belong to the model that __metadata__ describes");
      }
    }
  }

 private:
  void copy(const std::string& name, std::span<const Index> shape, Scalar* values, Index size) {
    used_.insert(name);
    file_.copy(name, shape, std::span(values, static_cast<std::size_t>(size)));
  }

  /// Packs the rows first..first + count - 1 of W.
  [[nodiscard]] Linear<Scalar> linear(const Rows<Scalar>& weights,
                                      const typename Rows<Scalar>::Array& bias, Index first,
                                      Index count) const {
    Linear<Scalar> result;
    result.matrix.pack(weights.columns(), count,
                       [&](Index k, Index j) { return weights(first + j, k); });
    result.bias = bias.segment(first, count);
    return result;
  }

  [[nodiscard]] QueryScaling<Scalar> scaling(const std::string& name, Index width,
                                             Index head_width) {
    return {.base = two_layers(name + ".base_mlp", 1, kScalingWidth, width),
            .gate = two_layers(name + ".query_mlp", head_width, kScalingWidth, head_width)};
  }

  const TensorFile& file_;
  std::set<std::string> used_;
};

}  // namespace

template <class Scalar>
void Linear<Scalar>::apply(const Rows<Scalar>& x, Rows<Scalar>& y, Store store) const {
  if (store == Store::overwrite) y.resize(x.rows(), matrix.columns());
  matrix.multiply(x.data(), x.columns(), x.rows(), bias.data(), y.data(), y.columns(), store);
}

template <class Scalar>
void Linear<Scalar>::adjoint(const Rows<Scalar>& y, Rows<Scalar>& x, Store store) const {
  if (store == Store::overwrite) x.resize(y.rows(), matrix.depth());
  matrix.multiply_transposed(y.data(), y.columns(), y.rows(), x.data(), x.columns(), store);
}

template <class Scalar>
Weights<Scalar> Weights<Scalar>::read(const TensorFile& file) {
  Weights weights;
  weights.config = ModelConfig::from_metadata(file.metadata(), file.source());
  const ModelConfig& config = weights.config;
  const Index E = config.embed_dim;
  const Index D = config.row_width();
  const Index ff = config.feed_forward_factor;
  WeightReader<Scalar> reader(file);

  weights.feature_encoder = reader.linear("col_embedder.in_linear", kFeatureGroup, E);
  weights.column_target_encoder = reader.linear("col_embedder.y_encoder", 1, E);
  for (Index b = 0; b < config.column_blocks; ++b) {
    const std::string name = fmt::format("col_embedder.tf_col.blocks.{}", b);
    const Index heads = config.column_heads;
    InducedBlockWeights<Scalar> block;
    block.inducing = reader.rows(name + ".ind_vectors", config.inducing_points, E);
    block.gather = reader.block(name + ".multihead_attn1", E, heads, ff * E, true);
    block.scatter = reader.block(name + ".multihead_attn2", E, heads, ff * E, false);
    weights.column_blocks.push_back(std::move(block));
  }

  weights.cls_tokens = reader.rows("row_interactor.cls_tokens", config.row_cls, E);
  weights.rotation_frequencies =
      reader.numbers("row_interactor.tf_row.rope.freqs", E / config.row_heads / 2);
  for (Index b = 0; b < config.row_blocks; ++b) {
    weights.row_blocks.push_back(reader.block(fmt::format("row_interactor.tf_row.blocks.{}", b), E,
                                              config.row_heads, ff * E, false));
  }
  weights.row_norm = reader.norm("row_interactor.out_ln", E);

  weights.icl_target_encoder = reader.linear("icl_predictor.y_encoder", 1, D);
  for (Index b = 0; b < config.icl_blocks; ++b) {
    weights.icl_blocks.push_back(reader.block(fmt::format("icl_predictor.tf_icl.blocks.{}", b), D,
                                              config.icl_heads, ff * D, true));
  }
  weights.icl_norm = reader.norm("icl_predictor.ln", D);
  weights.decoder = reader.two_layers("icl_predictor.decoder", D, 2 * D, config.quantiles);
  reader.refuse_unused();
  return weights;
}

template struct Linear<float>;
template struct Linear<double>;
template struct Weights<float>;
template struct Weights<double>;

}  // namespace oscbo::in_context
