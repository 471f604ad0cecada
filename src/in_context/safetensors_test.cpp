#include "in_context/safetensors.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <gtest/gtest.h>

#include "base/test_support.hpp"
#include "in_context/model_config.hpp"
#include "in_context/random_model_test_support.hpp"
#include "in_context/weights.hpp"

namespace oscbo::in_context {
namespace {

using Bytes = std::vector<std::byte>;

/// Returns a file with this header and this many bytes of data, which are 0, 1, 2, ...
Bytes tensor_bytes(const std::string& header, std::size_t data) {
  const std::uint64_t length = header.size();
  Bytes bytes(sizeof(length) + header.size() + data);
  std::memcpy(bytes.data(), &length, sizeof(length));
  std::memcpy(bytes.data() + sizeof(length), header.data(), header.size());
  for (std::size_t i = 0; i < data; ++i) bytes[sizeof(length) + header.size() + i] = std::byte(i);
  return bytes;
}

std::string refusal_of(const Bytes& bytes, const TensorLimits& limits = {}) {
  const Error error =
      error_of([&] { static_cast<void>(TensorFile(bytes, "model.safetensors", limits)); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_value);
  return error.what();
}

std::string refusal_of(const std::string& header, std::size_t data) {
  return refusal_of(tensor_bytes(header, data));
}

TEST(TensorFile, HasTensorsAndMetadata) {
  const Bytes bytes = tensor_bytes(
      R"({"__metadata__": {"embed_dim": "16"},
          "b": {"dtype": "F64", "shape": [], "data_offsets": [12, 20]},
          "a": {"dtype": "F32", "shape": [3, 1], "data_offsets": [0, 12]},
          "none": {"dtype": "F16", "shape": [0, 5], "data_offsets": [20, 20]}})",
      20);
  const TensorFile file(bytes, "f");
  EXPECT_EQ(file.metadata().at("embed_dim"), "16");
  EXPECT_EQ(file.tensors().size(), 3U);
  EXPECT_EQ(file.tensors().at("a").size(), 3);
  EXPECT_EQ(file.tensors().at("b").size(), 1);
  EXPECT_EQ(file.tensors().at("none").size(), 0);
}

TEST(TensorFile, ConvertsNumbersOfEveryType) {
  const std::array<std::uint16_t, 2> halves{0x3c00, 0xc100};  // 1, -2.5
  const std::array<std::uint16_t, 1> brain{0x4040};           // 3
  const std::array<float, 1> singles{0.1F};
  const std::array<double, 1> doubles{0.1};
  Bytes bytes = tensor_bytes(R"({"h": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]},
                                 "b": {"dtype": "BF16", "shape": [1], "data_offsets": [4, 6]},
                                 "s": {"dtype": "F32", "shape": [1], "data_offsets": [6, 10]},
                                 "d": {"dtype": "F64", "shape": [1], "data_offsets": [10, 18]}})",
                             18);
  std::byte* const data = bytes.data() + bytes.size() - 18;
  std::memcpy(data, halves.data(), 4);
  std::memcpy(data + 4, brain.data(), 2);
  std::memcpy(data + 6, singles.data(), 4);
  std::memcpy(data + 10, doubles.data(), 8);
  const TensorFile file(bytes, "f");
  std::array<double, 2> two{};
  std::array<double, 1> one{};
  file.copy("h", std::array<Index, 1>{2}, std::span<double>(two));
  EXPECT_EQ(two, (std::array{1.0, -2.5}));
  file.copy("b", std::array<Index, 1>{1}, std::span<double>(one));
  EXPECT_EQ(one[0], 3.0);
  file.copy("s", std::array<Index, 1>{1}, std::span<double>(one));
  EXPECT_EQ(one[0], static_cast<double>(0.1F));
  file.copy("d", std::array<Index, 1>{1}, std::span<double>(one));
  EXPECT_EQ(one[0], 0.1);
}

TEST(FromHalf, KnowsSubnormalAndInfiniteNumbers) {
  EXPECT_EQ(from_half(0x0001), std::ldexp(1.0F, -24));
  EXPECT_EQ(from_half(0x0400), std::ldexp(1.0F, -14));
  EXPECT_EQ(from_half(0x7bff), 65504.0F);
  EXPECT_EQ(from_half(0xfc00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(from_half(0x7e00)));
  EXPECT_TRUE(std::signbit(from_half(0x8000)));
}

TEST(TensorFile, NamesTheTensorThatHasAnotherShapeOrIsMissing) {
  const Bytes bytes =
      tensor_bytes(R"({"a": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]}})", 8);
  const TensorFile file(bytes, "f");
  EXPECT_STREQ(error_of([&] {
                 static_cast<void>(file.tensor("a", std::array<Index, 2>{1, 2}));
               }).what(),
               "f: tensor 'a': shape (2, 1) is not accepted; use (1, 2)");
  EXPECT_STREQ(
      error_of([&] { static_cast<void>(file.tensor("b", std::array<Index, 1>{3})); }).what(),
      "f: tensor 'b': is missing; use a file that has it with shape (3)");
}

TEST(TensorFile, RefusesNumbersThatAreNotFinite) {
  Bytes bytes = tensor_bytes(R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})", 4);
  const float infinite = std::numeric_limits<float>::infinity();
  std::memcpy(bytes.data() + bytes.size() - 4, &infinite, 4);
  const TensorFile file(bytes, "f");
  std::array<float, 1> value{};
  EXPECT_STREQ(
      error_of([&] { file.copy("a", std::array<Index, 1>{1}, std::span<float>(value)); }).what(),
      "f: tensor 'a': has entries that are not finite numbers");
}

TEST(TensorFile, RefusesAFileThatIsCutOff) {
  const Bytes whole =
      tensor_bytes(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})", 8);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal_of(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))),
              "")
        << size;
  }
  EXPECT_EQ(refusal_of(Bytes(whole.begin(), whole.end() - 1)),
            "model.safetensors: tensor 'a': data_offsets [0, 8] are not in the file, which has 7 "
            "bytes of data");
}

TEST(TensorFile, RefusesSizesBeyondItsLimits) {
  const Bytes bytes =
      tensor_bytes(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})", 8);
  TensorLimits limits;
  limits.file_bytes = 50;
  EXPECT_EQ(refusal_of(bytes, limits), "model.safetensors: has 77 bytes; at most 50 are accepted");
  limits = {};
  limits.header_bytes = 20;
  EXPECT_EQ(refusal_of(bytes, limits),
            "model.safetensors: is not a safetensors file: its header would have 61 bytes; at most "
            "20 are accepted");
  limits = {};
  limits.tensors = 0;
  EXPECT_EQ(refusal_of(bytes, limits), "model.safetensors: has 1 tensors; at most 0 are accepted");
}

TEST(TensorFile, RefusesTensorsThatOverlapOrLeaveGaps) {
  EXPECT_EQ(refusal_of(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                           "b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}})",
                       12),
            "model.safetensors: tensor 'b': overlaps another tensor");
  EXPECT_EQ(refusal_of(R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})", 8),
            "model.safetensors: tensor 'a': leaves 4 bytes before it unused");
  EXPECT_EQ(refusal_of(R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})", 8),
            "model.safetensors: has 4 bytes after the last tensor; none are accepted");
}

TEST(TensorFile, RefusesDeclarationsThatDoNotFit) {
  const auto declared = [](const std::string& type, const std::string& shape,
                           const std::string& offsets) {
    return refusal_of(R"({"a": {"dtype": )" + type + R"(, "shape": )" + shape +
                          R"(, "data_offsets": )" + offsets + "}}",
                      8);
  };
  const std::string tensor = "model.safetensors: tensor 'a': ";
  EXPECT_EQ(declared(R"("I64")", "[1]", "[0, 8]"),
            tensor + "dtype 'I64' is not accepted; use F16 | BF16 | F32 | F64");
  EXPECT_EQ(declared(R"("F32")", "[3]", "[0, 8]"),
            tensor + "has 8 bytes, which does not fit its shape (3)");
  EXPECT_EQ(declared(R"("F32")", "[1099511627776, 1099511627776, 1099511627776]", "[0, 8]"),
            tensor +
                "has 8 bytes, which does not fit its shape (1099511627776, 1099511627776, "
                "1099511627776)");
  EXPECT_EQ(declared(R"("F32")", "[-2]", "[0, 8]"),
            tensor + "shape must hold integers from 0 to 2^40");
  EXPECT_EQ(declared(R"("F32")", "[2.0]", "[0, 8]"),
            tensor + "shape must hold integers from 0 to 2^40");
  EXPECT_EQ(declared(R"("F32")", "2", "[0, 8]"),
            tensor + "shape must be a list of at most 8 sizes");
  EXPECT_EQ(declared(R"("F32")", "[2]", "[8, 0]"),
            tensor + "data_offsets [8, 0] are not in the file, which has 8 bytes of data");
  EXPECT_EQ(declared(R"("F32")", "[2]", "[0]"),
            tensor + "data_offsets must be a list of two offsets");
  EXPECT_EQ(declared(R"("F32")", "[2]", R"([0, 8], "x": 1)"),
            tensor + "'x' is not a known field; use dtype, shape, data_offsets");
  EXPECT_EQ(refusal_of(R"({"a": {"dtype": "F32", "shape": [2]}})", 8),
            tensor + "data_offsets is missing");
  EXPECT_EQ(refusal_of(R"({"a": 1})", 8), tensor + "must be an object with named fields");
  EXPECT_EQ(refusal_of("[]", 0), "model.safetensors: its header must be an object");
  EXPECT_EQ(refusal_of(R"({"a": {}, "a": {}})", 0), "a: is declared twice");
  EXPECT_EQ(refusal_of(R"({"__metadata__": {"x": 1}})", 0),
            "model.safetensors: tensor '__metadata__': 'x' must be a text");
}

TEST(TensorFile, ShowsHostileNamesWithoutControlCharacters) {
  EXPECT_EQ(refusal_of(R"({"\u001b[2J": 1})", 0),
            "model.safetensors: tensor '?[2J': must be an object with named fields");
}

std::string config_refusal(const std::string& key, const std::string& value) {
  auto metadata = smallest_metadata();
  metadata[key] = value;
  return error_of([&] { static_cast<void>(ModelConfig::from_metadata(metadata, "f")); }).what();
}

TEST(ModelConfig, ReadsSizes) {
  const ModelConfig config = ModelConfig::from_metadata(smallest_metadata(), "f");
  EXPECT_EQ(config.embed_dim, 4);
  EXPECT_EQ(config.row_width(), 4);
  EXPECT_EQ(config.quantiles, 2);
}

TEST(ModelConfig, RefusesWhatTheEngineLacksAndNamesTheKey) {
  EXPECT_EQ(config_refusal("col_ssmax", "none"),
            "f: col_ssmax = 'none' is not accepted; use qassmax-mlp-elementwise");
  EXPECT_EQ(config_refusal("col_affine", "true"),
            "f: col_affine = 'true' is not accepted; use false");
  EXPECT_EQ(config_refusal("max_classes", "10"), "f: max_classes = '10' is not accepted; use 0");
  EXPECT_EQ(config_refusal("norm_first", "false"),
            "f: norm_first = 'false' is not accepted; use true");
  EXPECT_EQ(config_refusal("embed_dim", "1e3"),
            "f: embed_dim = '1e3' is not accepted; use an integer in [2, 4096]");
  EXPECT_EQ(config_refusal("embed_dim", "99999999999999999999"),
            "f: embed_dim = '99999999999999999999' is not accepted; use an integer in [2, 4096]");
  EXPECT_EQ(config_refusal("col_nhead", "3"),
            "f: col_nhead = '3' is not accepted; use a divisor of 4");
  EXPECT_EQ(config_refusal("row_nhead", "4"),
            "f: row_nhead = '4' is not accepted; use a number of heads with an even width each");
  auto metadata = smallest_metadata();
  metadata.erase("ff_factor");
  EXPECT_STREQ(
      error_of([&] { static_cast<void>(ModelConfig::from_metadata(metadata, "f")); }).what(),
      "f: ff_factor is missing in __metadata__, which must hold the configuration of the "
      "model");
}

/// Returns the most memory that this process has had so far, in MiB.
double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

TEST(TensorFile, AllocatesNothingForTensorsThatAreNotThere) {
  const double before = peak_memory();
  EXPECT_EQ(
      refusal_of(R"({"a": {"dtype": "F64", "shape": [100000000], "data_offsets": [0, 8]}})", 8),
      "model.safetensors: tensor 'a': has 8 bytes, which does not fit its shape (100000000)");
  EXPECT_LT(peak_memory() - before, 20.0);
}

// The first tensor that is missing would have 64 MiB.
TEST(Weights, AllocateNothingForTensorsThatTheFileLacks) {
  auto metadata = smallest_metadata();
  metadata["embed_dim"] = "4096";
  metadata["col_num_inds"] = "4096";
  const Bytes bytes = ModelFile(metadata, ModelPart::encoders).bytes();
  const TensorFile file(bytes, "f");
  const double before = peak_memory();
  EXPECT_STREQ(error_of([&] { static_cast<void>(Weights<float>::read(file)); }).what(),
               "f: tensor 'col_embedder.tf_col.blocks.0.ind_vectors': is missing; use a file that "
               "has it with shape (4096, 4096)");
  EXPECT_LT(peak_memory() - before, 20.0);
}

}  // namespace
}  // namespace oscbo::in_context
