// Reads arbitrary bytes as a file of tensors, and as a model if that is accepted. The bytes are
// those of a file; if they do not begin with a length, they are also taken as a header with some
// data behind it, so that short inputs get beyond the first checks. Everything that is not accepted
// must throw Error (invalid_value).
#include "in_context/safetensors.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "in_context/weights.hpp"
#include "oscbo/error.hpp"

namespace {

using oscbo::in_context::Tensor;
using oscbo::in_context::TensorFile;

/// The tensors lie in the data, next to each other.
bool is_sound(const TensorFile& file, std::span<const std::byte> bytes) {
  std::size_t sum = 0;
  for (const auto& [name, tensor] : file.tensors()) {
    if (tensor.bytes.data() < bytes.data()) return false;
    if (tensor.bytes.data() + tensor.bytes.size() > bytes.data() + bytes.size()) return false;
    sum += tensor.bytes.size();
  }
  return sum <= bytes.size();
}

void read_values(const TensorFile& file) {
  for (const auto& [name, tensor] : file.tensors()) {
    std::vector<float> values(static_cast<std::size_t>(tensor.size()));
    try {
      file.copy(name, tensor.shape, std::span(values));
    } catch (const oscbo::Error& error) {
      if (error.field() != "fuzz") std::abort();  // not a finite number
    }
  }
}

void read(std::span<const std::byte> bytes) {
  try {
    const TensorFile file(bytes, "fuzz", {.file_bytes = 4096, .header_bytes = 2048, .tensors = 16});
    if (!is_sound(file, bytes)) std::abort();
    read_values(file);
    static_cast<void>(oscbo::in_context::Weights<float>::read(file));
  } catch (const oscbo::Error& error) {
    if (error.code() != oscbo::ErrorCode::invalid_value) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read(std::as_bytes(std::span(data, size)));
  constexpr std::size_t kData = 8;
  if (size <= kData) return 0;
  const std::uint64_t header = size - kData;
  std::vector<std::byte> file(sizeof(header) + size);
  std::memcpy(file.data(), &header, sizeof(header));
  std::memcpy(file.data() + sizeof(header), data, size);
  read(file);
  return 0;
}
