// The weights of pfn, which are part of the library.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "in_context/weights.hpp"

namespace oscbo::in_context {

/// embedded_file returns the bytes of the safetensors file, training/trained/model.safetensors.
[[nodiscard]] std::span<const std::byte> embedded_file();

/// embedded_weights returns the weights in that file. The first call reads them.
[[nodiscard]] std::shared_ptr<const Weights<float>> embedded_weights();

}  // namespace oscbo::in_context
