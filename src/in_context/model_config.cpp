#include "in_context/model_config.hpp"

#include <array>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "base/refusal.hpp"

namespace oscbo::in_context {
namespace {

/// The keys whose value decides what the network computes, and the only value that we compute. The
/// base of the rotations is not one of them: the file has their frequencies as a tensor.
struct FixedKey {
  const char* name;
  std::string_view value;
};
constexpr std::array<FixedKey, 10> kFixedKeys{{{"max_classes", "0"},
                                               {"col_affine", "false"},
                                               {"col_feature_group", "same"},
                                               {"col_feature_group_size", "3"},
                                               {"col_target_aware", "true"},
                                               {"col_ssmax", "qassmax-mlp-elementwise"},
                                               {"row_rope_interleaved", "false"},
                                               {"icl_ssmax", "qassmax-mlp-elementwise"},
                                               {"activation", "gelu"},
                                               {"norm_first", "true"}}};

/// A size of the network, and the largest that is accepted.
struct SizeKey {
  const char* name;
  Index ModelConfig::*member;
  Index least;
  Index most;
};
constexpr std::array<SizeKey, 11> kSizeKeys{
    {{"embed_dim", &ModelConfig::embed_dim, 2, 4096},
     {"col_num_blocks", &ModelConfig::column_blocks, 1, 64},
     {"col_nhead", &ModelConfig::column_heads, 1, 256},
     {"col_num_inds", &ModelConfig::inducing_points, 1, 4096},
     {"row_num_blocks", &ModelConfig::row_blocks, 1, 64},
     {"row_nhead", &ModelConfig::row_heads, 1, 256},
     {"row_num_cls", &ModelConfig::row_cls, 1, 64},
     {"icl_num_blocks", &ModelConfig::icl_blocks, 1, 128},
     {"icl_nhead", &ModelConfig::icl_heads, 1, 256},
     {"ff_factor", &ModelConfig::feed_forward_factor, 1, 16},
     {"num_quantiles", &ModelConfig::quantiles, 2, 9999}}};

class Reader {
 public:
  Reader(const std::map<std::string, std::string>& metadata, const std::string& source)
      : metadata_(metadata), source_(source) {}

  [[nodiscard]] ModelConfig read() const {
    for (const FixedKey& key : kFixedKeys) {
      const std::string& value = text(key.name);
      if (value != key.value) refuse(key.name, value, std::string(key.value));
    }
    ModelConfig config;
    for (const SizeKey& key : kSizeKeys) config.*key.member = size(key);
    check_heads("col_nhead", config.embed_dim, config.column_heads);
    check_heads("row_nhead", config.embed_dim, config.row_heads);
    check_heads("icl_nhead", config.row_width(), config.icl_heads);
    // Rotary positions turn pairs of elements.
    if (config.embed_dim / config.row_heads % 2 != 0) {
      refuse("row_nhead", text("row_nhead"), "a number of heads with an even width each");
    }
    return config;
  }

 private:
  [[nodiscard]] const std::string& text(const char* name) const {
    const auto found = metadata_.find(name);
    if (found == metadata_.end()) {
      base::refuse(source_, fmt::format("{} is missing in __metadata__, which must hold the "
                                        "configuration of the model",
                                        name));
    }
    return found->second;
  }

  [[nodiscard]] Index size(const SizeKey& key) const {
    const std::string& value = text(key.name);
    Index number = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc() || stop != end || number < key.least || number > key.most) {
      refuse(key.name, value, fmt::format("an integer in [{}, {}]", key.least, key.most));
    }
    return number;
  }

  void check_heads(const char* name, Index width, Index heads) const {
    if (width % heads != 0) refuse(name, text(name), fmt::format("a divisor of {}", width));
  }

  [[noreturn]] void refuse(const char* name, const std::string& value,
                           const std::string& accepted) const {
    constexpr std::size_t kLongest = 40;
    base::refuse(source_, fmt::format("{} = '{}' is not accepted; use {}", name,
                                      value.substr(0, kLongest), accepted));
  }

  const std::map<std::string, std::string>& metadata_;
  const std::string& source_;
};

}  // namespace

ModelConfig ModelConfig::from_metadata(const std::map<std::string, std::string>& metadata,
                                       const std::string& source) {
  return Reader(metadata, source).read();
}

}  // namespace oscbo::in_context
