#include "in_context/embedded_weights.hpp"

// The symbols of the assembler file.
// NOLINTBEGIN(*-avoid-c-arrays, readability-identifier-naming)
extern "C" {
extern const std::byte oscbo_pfn_weights_begin[];
extern const std::byte oscbo_pfn_weights_end[];
}
// NOLINTEND(*-avoid-c-arrays, readability-identifier-naming)

namespace oscbo::in_context {

std::span<const std::byte> embedded_file() {
  return {static_cast<const std::byte*>(oscbo_pfn_weights_begin),
          static_cast<const std::byte*>(oscbo_pfn_weights_end)};
}

std::shared_ptr<const Weights<float>> embedded_weights() {
  static const auto kWeights = std::make_shared<const Weights<float>>(
      Weights<float>::read(TensorFile(embedded_file(), "embedded weights")));
  return kWeights;
}

}  // namespace oscbo::in_context
