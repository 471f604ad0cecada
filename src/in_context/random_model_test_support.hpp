// A small model with random weights, as the bytes of its file.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oscbo::in_context {

using Metadata = std::map<std::string, std::string>;

/// A configuration of a small model: E = 8 and D = 16 (model_config.hpp), two blocks in each stage,
/// 5 quantiles.
inline Metadata small_metadata() {
  return {{"max_classes", "0"},
          {"num_quantiles", "5"},
          {"embed_dim", "8"},
          {"col_num_blocks", "2"},
          {"col_nhead", "2"},
          {"col_num_inds", "3"},
          {"col_affine", "false"},
          {"col_feature_group", "same"},
          {"col_feature_group_size", "3"},
          {"col_target_aware", "true"},
          {"col_ssmax", "qassmax-mlp-elementwise"},
          {"row_num_blocks", "2"},
          {"row_nhead", "2"},
          {"row_num_cls", "2"},
          {"row_rope_base", "100000"},
          {"row_rope_interleaved", "false"},
          {"icl_num_blocks", "2"},
          {"icl_nhead", "4"},
          {"icl_ssmax", "qassmax-mlp-elementwise"},
          {"ff_factor", "2"},
          {"activation", "gelu"},
          {"norm_first", "true"}};
}

/// The configuration of the small model with other values for some keys.
inline Metadata small_metadata_with(Metadata changes) {
  changes.merge(small_metadata());  // keeps the values that are there
  return changes;
}

/// A configuration of a model that is as small as two heads allow: E = D = 4, 2 quantiles.
inline Metadata smallest_metadata() {
  return small_metadata_with({{"num_quantiles", "2"},
                              {"embed_dim", "4"},
                              {"col_num_blocks", "1"},
                              {"row_num_blocks", "1"},
                              {"row_num_cls", "1"},
                              {"icl_num_blocks", "1"},
                              {"icl_nhead", "1"}});
}

/// Which tensors a file has: all of them, or only the first ones, the encoders of features and
/// targets.
enum class ModelPart { whole, encoders };

/// Collects tensors and writes them as a file. The numbers are irregular but always the same.
class ModelFile {
 public:
  explicit ModelFile(Metadata metadata = small_metadata(), ModelPart part = ModelPart::whole)
      : metadata_(std::move(metadata)) {
    const Index E = size("embed_dim");
    const Index D = E * size("row_num_cls");
    linear("col_embedder.in_linear", 3, E);
    linear("col_embedder.y_encoder", 1, E);
    if (part == ModelPart::encoders) return;
    for (Index b = 0; b < size("col_num_blocks"); ++b) {
      const std::string name = "col_embedder.tf_col.blocks." + std::to_string(b);
      add(name + ".ind_vectors", {size("col_num_inds"), E});
      block(name + ".multihead_attn1", E, size("col_nhead"), true);
      block(name + ".multihead_attn2", E, size("col_nhead"), false);
    }
    add("row_interactor.cls_tokens", {size("row_num_cls"), E});
    for (Index b = 0; b < size("row_num_blocks"); ++b) {
      block("row_interactor.tf_row.blocks." + std::to_string(b), E, size("row_nhead"), false);
    }
    add("row_interactor.tf_row.rope.freqs", {E / size("row_nhead") / 2});
    add("row_interactor.out_ln.weight", {E});
    for (Index b = 0; b < size("icl_num_blocks"); ++b) {
      block("icl_predictor.tf_icl.blocks." + std::to_string(b), D, size("icl_nhead"), true);
    }
    add("icl_predictor.ln.weight", {D});
    linear("icl_predictor.y_encoder", 1, D);
    linear("icl_predictor.decoder.0", D, 2 * D);
    linear("icl_predictor.decoder.2", 2 * D, size("num_quantiles"));
  }

  /// add appends a tensor, which need not belong to the model.
  void add(const std::string& name, const std::vector<std::ptrdiff_t>& shape) {
    std::string sizes;
    std::size_t count = 1;
    for (const std::ptrdiff_t size : shape) {
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
      count *= static_cast<std::size_t>(size);
    }
    const std::size_t begin = data_.size() * sizeof(float);
    const bool is_gain =
        name.find("norm") != std::string::npos || name.find("ln.weight") != std::string::npos;
    const double spread = shape.size() == 2 ? 1.5 / std::sqrt(static_cast<double>(shape[1])) : 0.2;
    for (std::size_t i = 0; i < count; ++i) {
      const double wave = std::sin(static_cast<double>(++place_) * 1.7);
      data_.push_back(static_cast<float>((is_gain ? 1.0 : 0.0) + spread * wave));
    }
    header_ += ", \"" + name + R"(": {"dtype": "F32", "shape": [)" + sizes +
               R"(], "data_offsets": [)" + std::to_string(begin) + ", " +
               std::to_string(begin + count * sizeof(float)) + "]}";
  }

  [[nodiscard]] std::vector<std::byte> bytes() const {
    std::string metadata;
    for (const auto& [key, value] : metadata_) {
      metadata += metadata.empty() ? "\"" : ", \"";
      metadata += key;
      metadata += "\": \"";
      metadata += value;
      metadata += '"';
    }
    const std::string header = R"({"__metadata__": {)" + metadata + "}" + header_ + "}";
    const std::uint64_t length = header.size();
    std::vector<std::byte> result(sizeof(length) + header.size() + data_.size() * sizeof(float));
    std::memcpy(result.data(), &length, sizeof(length));
    std::memcpy(result.data() + sizeof(length), header.data(), header.size());
    std::memcpy(result.data() + sizeof(length) + header.size(), data_.data(),
                data_.size() * sizeof(float));
    return result;
  }

 private:
  using Index = std::ptrdiff_t;

  [[nodiscard]] Index size(const std::string& key) const { return std::stol(metadata_.at(key)); }

  void linear(const std::string& name, Index inputs, Index outputs) {
    add(name + ".weight", {outputs, inputs});
    add(name + ".bias", {outputs});
  }

  void block(const std::string& name, Index width, Index heads, bool is_scaled) {
    constexpr Index kHidden = 64;
    add(name + ".attn.in_proj_weight", {3 * width, width});
    add(name + ".attn.in_proj_bias", {3 * width});
    linear(name + ".attn.out_proj", width, width);
    if (is_scaled) {
      linear(name + ".attn.ssmax_layer.base_mlp.0", 1, kHidden);
      linear(name + ".attn.ssmax_layer.base_mlp.2", kHidden, width);
      linear(name + ".attn.ssmax_layer.query_mlp.0", width / heads, kHidden);
      linear(name + ".attn.ssmax_layer.query_mlp.2", kHidden, width / heads);
    }
    linear(name + ".linear1", width, size("ff_factor") * width);
    linear(name + ".linear2", size("ff_factor") * width, width);
    add(name + ".norm1.weight", {width});
    add(name + ".norm2.weight", {width});
  }

  Metadata metadata_;
  std::string header_;
  std::vector<float> data_;
  std::size_t place_ = 0;
};

}  // namespace oscbo::in_context
