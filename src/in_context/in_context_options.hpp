// The options of the methods whose model is an in-context regressor: tabicl and pfn.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "in_context/weights.hpp"

namespace oscbo {
class Config;
struct Option;
}  // namespace oscbo

namespace oscbo::in_context {

/// tabicl takes its weights from a file.
struct TabiclOptions {
  std::string weights;  // path of the file; empty: not named
  std::string sha256;   // of the file, in hexadecimal digits; empty: any file is accepted
  int members = 1;      // of the ensemble
};

/// The weights in the file of tabicl. They are not an option: load_weights (oscbo/weights.hpp) puts
/// them into the configuration, because models read no files.
struct LoadedWeights {
  std::shared_ptr<const Weights<float>> weights;
};

/// The weights of pfn are part of the library.
struct PfnOptions {
  int members = 1;          // of the ensemble
  int context = 128;        // the most observations that the network sees
  int near_best_every = 2;  // every n-th round searches near the best point; 0: no round does
};

[[nodiscard]] std::vector<Option> tabicl_options();

/// tabicl_doubles_per_point returns the memory that the loaded network takes per observation, in
/// units of a double, if points have this many columns.
[[nodiscard]] double tabicl_doubles_per_point(const Config& config, Index columns);

[[nodiscard]] std::vector<Option> pfn_options();

}  // namespace oscbo::in_context
