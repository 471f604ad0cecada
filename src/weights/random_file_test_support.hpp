// A file of small random weights, for tests of programs and studies that use tabicl.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "base/temporary_folder_test_support.hpp"
#include "in_context/random_model_test_support.hpp"

namespace oscbo::test {

inline std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A file of random weights. OSCBO_TABICL_WEIGHTS names it as long as the object exists.
class RandomWeightsFile {
 public:
  RandomWeightsFile() { ::setenv(kVariable, path_.c_str(), /*overwrite=*/1); }
  RandomWeightsFile(const RandomWeightsFile&) = delete;
  RandomWeightsFile(RandomWeightsFile&&) = delete;
  RandomWeightsFile& operator=(const RandomWeightsFile&) = delete;
  RandomWeightsFile& operator=(RandomWeightsFile&&) = delete;
  ~RandomWeightsFile() { ::unsetenv(kVariable); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  static constexpr const char* kVariable = "OSCBO_TABICL_WEIGHTS";

  TemporaryFolder folder_;
  std::string path_ = folder_.file("random.safetensors", text_of(in_context::ModelFile().bytes()));
};

}  // namespace oscbo::test
