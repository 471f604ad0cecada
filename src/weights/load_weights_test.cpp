#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "in_context/in_context_options.hpp"
#include "oscbo/error.hpp"
#include "oscbo/weights.hpp"
#include "weights/random_file_test_support.hpp"
#include "weights/sha256.hpp"

namespace oscbo {
namespace {

using in_context::LoadedWeights;
using in_context::TabiclOptions;
using test::RandomWeightsFile;
using test::TemporaryFolder;

Config config_with(const std::string& path, const std::string& sha256 = "") {
  Config config;
  config.learner = "tabicl";
  config.edit<TabiclOptions>().weights = path;
  config.edit<TabiclOptions>().sha256 = sha256;
  return config;
}

/// loaded returns the options after load_weights.
TabiclOptions loaded(Config config) {
  load_weights(config);
  EXPECT_NE(config.get<LoadedWeights>().weights, nullptr);
  return config.get<TabiclOptions>();
}

/// refusal_of expects an error, and that the configuration stays as it was.
Error refusal_of(Config config) {
  const TabiclOptions before = config.get<TabiclOptions>();
  std::optional<Error> refusal;
  try {
    load_weights(config);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    refusal = error;
  }
  EXPECT_EQ(config.get<TabiclOptions>().weights, before.weights);
  EXPECT_EQ(config.get<TabiclOptions>().sha256, before.sha256);
  EXPECT_EQ(config.get<LoadedWeights>().weights, nullptr);
  return refusal.value_or(Error(ErrorCode::internal, "", ""));
}

bool contains(const Error& error, const std::string& part) {
  return std::string(error.what()).find(part) != std::string::npos;
}

/// A model file with other weights than that of RandomWeightsFile.
std::vector<std::byte> other_model() {
  std::vector<std::byte> bytes = in_context::ModelFile().bytes();
  const float weight = 0.25F;
  std::memcpy(bytes.data() + bytes.size() - sizeof(weight), &weight, sizeof(weight));
  return bytes;
}

std::string sha256_of(const std::vector<std::byte>& bytes) { return weights::sha256(bytes); }

TEST(LoadWeights, SetsThePathAndTheChecksum) {
  const TemporaryFolder folder;
  const std::vector<std::byte> bytes = other_model();
  const std::string path = folder.file("model.safetensors", test::text_of(bytes));
  const std::filesystem::path relative = std::filesystem::relative(path);
  const TabiclOptions options = loaded(config_with(relative.string()));
  EXPECT_TRUE(std::filesystem::path(options.weights).is_absolute());
  EXPECT_TRUE(std::filesystem::equivalent(options.weights, path));
  EXPECT_EQ(options.sha256, sha256_of(bytes));
  EXPECT_EQ(loaded(config_with(options.weights, options.sha256)).sha256, options.sha256);
}

TEST(LoadWeights, TakesTheFileOfTheVariableIfTheOptionNamesNone) {
  const RandomWeightsFile random;
  EXPECT_EQ(loaded(config_with("")).weights, random.path());
  const TemporaryFolder folder;
  const std::string other = folder.file("other.safetensors", test::text_of(other_model()));
  EXPECT_EQ(loaded(config_with(other)).weights, other) << "the option comes first";
}

TEST(LoadWeights, TakesTheFileOfTheVariableIfThatOfTheOptionMoved) {
  const RandomWeightsFile random;
  const std::string checksum = sha256_of(in_context::ModelFile().bytes());
  EXPECT_EQ(loaded(config_with("/no/such/file", checksum)).weights, random.path());
  EXPECT_EQ(refusal_of(config_with("/no/such/file", sha256_of(other_model()))).field(),
            "tabicl.sha256");
  const Error unknown = refusal_of(config_with("/no/such/file"));
  EXPECT_EQ(unknown.code(), ErrorCode::io);
  EXPECT_TRUE(contains(unknown, "'/no/such/file'")) << "any other file could be meant";
}

TEST(LoadWeights, SaysWhereTheFileComesFrom) {
  for (const std::string path : {"", "/no/such/file"}) {
    const Error error = refusal_of(config_with(path));
    EXPECT_EQ(error.code(), path.empty() ? ErrorCode::invalid_value : ErrorCode::io);
    EXPECT_EQ(error.field(), "tabicl.weights");
    for (const char* part : {"tabicl-regressor-v2-20260212.ckpt", "jingang/TabICL", "Hugging Face",
                             "0db9cb538f114e79026bf08f45f41ad8dd7ad2de2aaca9a5ca8cd3bd9748ae7a",
                             "python3 -m oscbo.tabicl_convert", "--set tabicl.weights=FILE",
                             "OSCBO_TABICL_WEIGHTS", "docs/in-context.md", "pfn"}) {
      EXPECT_TRUE(contains(error, part)) << part << " in: " << error.what();
    }
  }
}

TEST(LoadWeights, NamesTheVariableIfItsFileIsMissing) {
  ::setenv("OSCBO_TABICL_WEIGHTS", "/no/such/file", /*overwrite=*/1);
  const Error error = refusal_of(config_with(""));
  ::unsetenv("OSCBO_TABICL_WEIGHTS");
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_EQ(error.field(), "OSCBO_TABICL_WEIGHTS");
}

TEST(LoadWeights, RefusesAnotherFileThanTheOneOfTheChecksum) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model.safetensors", test::text_of(other_model()));
  const std::string wanted(64, 'a');
  const Error error = refusal_of(config_with(path, wanted));
  EXPECT_EQ(error.code(), ErrorCode::invalid_value);
  EXPECT_EQ(error.field(), "tabicl.sha256");
  EXPECT_TRUE(contains(error, path)) << error.what();
  EXPECT_TRUE(contains(error, sha256_of(other_model()))) << error.what();
  EXPECT_TRUE(contains(error, wanted)) << error.what();
}

TEST(LoadWeights, RefusesAFileThatHoldsNoModel) {
  const TemporaryFolder folder;
  const std::string text = test::text_of(other_model());
  const auto refused = [&](const std::string& content) {
    return refusal_of(config_with(folder.file("bad.safetensors", content)));
  };
  for (const std::string& content : {std::string(), std::string("PK\3\4 a checkpoint of PyTorch"),
                                     text.substr(0, text.size() - 1), text.substr(0, 100)}) {
    const Error error = refused(content);
    EXPECT_EQ(error.code(), ErrorCode::invalid_value) << error.what();
    EXPECT_TRUE(contains(error, "bad.safetensors")) << error.what();
  }
}

TEST(LoadWeights, RefusesNumbersThatAreNotFiniteAndNamesTheTensor) {
  const TemporaryFolder folder;
  for (const float weight :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::string text = test::text_of(other_model());
    std::memcpy(text.data() + text.size() - sizeof(weight), &weight, sizeof(weight));
    const Error error = refusal_of(config_with(folder.file("bad.safetensors", text)));
    EXPECT_EQ(error.code(), ErrorCode::invalid_value);
    EXPECT_TRUE(contains(error, "icl_predictor.decoder.2.bias")) << error.what();
  }
}

TEST(LoadWeights, RefusesAFileThatIsTooLargeWithoutReadingIt) {
  const TemporaryFolder folder;
  const std::string path = folder.file("large.safetensors", "");
  std::filesystem::resize_file(path, (std::uintmax_t{1} << 30) + 1);  // takes no room on the disk
  const Error error = refusal_of(config_with(path));
  EXPECT_EQ(error.code(), ErrorCode::invalid_value);
  EXPECT_EQ(error.field(), "tabicl.weights");
  EXPECT_TRUE(contains(error, "1073741825 bytes; at most 1073741824")) << error.what();
}

TEST(LoadWeights, DoesNothingForOtherModels) {
  Config config = config_with("/no/such/file");
  config.learner = "pfn";
  EXPECT_NO_THROW(load_weights(config));
  EXPECT_EQ(config.get<TabiclOptions>().weights, "/no/such/file");
  EXPECT_EQ(config.get<LoadedWeights>().weights, nullptr);
}

}  // namespace
}  // namespace oscbo
