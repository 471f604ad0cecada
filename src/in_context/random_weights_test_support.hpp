// The weights of a small random model, for tests that do not care what the model predicts.
#pragma once

#include <memory>
#include <vector>

#include "in_context/in_context_options.hpp"
#include "in_context/random_model_test_support.hpp"
#include "in_context/weights.hpp"
#include "oscbo/config.hpp"

namespace oscbo::in_context {

inline std::shared_ptr<const Weights<float>> random_weights() {
  static const std::shared_ptr<const Weights<float>> weights = [] {
    const std::vector<std::byte> bytes = ModelFile().bytes();
    return std::make_shared<const Weights<float>>(
        Weights<float>::read(TensorFile(bytes, "random weights")));
  }();
  return weights;
}

/// with_random_weights returns `config`, with the random weights if its model needs a file.
inline Config with_random_weights(Config config) {
  if (config.learner == "tabicl") config.edit<LoadedWeights>().weights = random_weights();
  return config;
}

}  // namespace oscbo::in_context
