#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "in_context/in_context_options.hpp"
#include "oscbo/error.hpp"
#include "oscbo/weights.hpp"
#include "weights/sha256.hpp"

namespace oscbo {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOption = "tabicl.weights";
constexpr const char* kVariable = "OSCBO_TABICL_WEIGHTS";

/// How to get the file. The checksum is that of the public checkpoint.
constexpr const char* kInstructions =
    "Download tabicl-regressor-v2-20260212.ckpt of jingang/TabICL from Hugging Face (114324594 "
    "bytes, SHA-256 0db9cb538f114e79026bf08f45f41ad8dd7ad2de2aaca9a5ca8cd3bd9748ae7a), convert it "
    "with `python3 -m oscbo.tabicl_convert FILE.ckpt`, and name the result with --set "
    "tabicl.weights=FILE or OSCBO_TABICL_WEIGHTS. See docs/in-context.md. The method pfn needs no "
    "file";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return !path.empty() && fs::is_regular_file(path, ignored);
}

/// weights_path returns the file to read. Where the checksum is known, a file that is no longer at
/// its path may be the one that the variable names.
fs::path weights_path(const in_context::TabiclOptions& options) {
  fs::path named = options.weights;
  const char* variable = std::getenv(kVariable);
  fs::path other = variable == nullptr ? "" : variable;
  if (named.empty() && other.empty()) {
    throw Error(ErrorCode::invalid_value, kOption,
                fmt::format("tabicl needs a file of weights. {}", kInstructions));
  }
  if (is_file(named)) return named;
  const bool may_have_moved = named.empty() || !options.sha256.empty();
  if (may_have_moved && is_file(other)) return other;
  throw Error(ErrorCode::io, named.empty() ? kVariable : kOption,
              fmt::format("there is no file '{}'. {}", (named.empty() ? other : named).string(),
                          kInstructions));
}

std::vector<std::byte> read_file(const fs::path& path) {
  const auto fail = [&]() -> Error {
    return {ErrorCode::io, kOption, fmt::format("cannot read '{}'", path.string())};
  };
  constexpr auto kLimit = in_context::TensorLimits().file_bytes;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) throw fail();
  if (size > kLimit) {
    throw Error(
        ErrorCode::invalid_value, kOption,
        fmt::format("'{}' has {} bytes; at most {} are accepted", path.string(), size, kLimit));
  }
  std::vector<std::byte> bytes(size);
  std::ifstream stream(path, std::ios::binary);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!stream) throw fail();
  return bytes;
}

}  // namespace

void load_weights(Config& config) {
  if (config.learner != "tabicl") return;
  auto& options = config.edit<in_context::TabiclOptions>();
  const fs::path path = weights_path(options);
  const std::vector<std::byte> bytes = read_file(path);
  const std::string checksum = weights::sha256(bytes);
  if (!options.sha256.empty() && options.sha256 != checksum) {
    throw Error(ErrorCode::invalid_value, "tabicl.sha256",
                fmt::format("'{}' has the checksum {}, not {}: it is not the file that these "
                            "results were made with",
                            path.string(), checksum, options.sha256));
  }
  auto read = std::make_shared<const in_context::Weights<float>>(
      in_context::Weights<float>::read(in_context::TensorFile(bytes, path.string())));
  config.edit<in_context::LoadedWeights>().weights = std::move(read);
  options.weights = fs::absolute(path).string();
  options.sha256 = checksum;
}

}  // namespace oscbo
