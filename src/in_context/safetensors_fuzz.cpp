// Reads arbitrary bytes as a file of tensors, and as a model if that is accepted. The first byte
// says what the others are: a file, a header to which a length and some data are added, or changes
// to the file of a small model, so that inputs get beyond the first checks. A model that is
// accepted must predict without a crash, whatever its weights. Everything else must throw Error
// (invalid_value).
#include "in_context/safetensors.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "in_context/ensemble.hpp"
#include "in_context/random_model_test_support.hpp"
#include "in_context/weights.hpp"
#include "numeric/parallel.hpp"
#include "oscbo/error.hpp"

namespace {

using oscbo::in_context::Ensemble;
using oscbo::in_context::Index;
using oscbo::in_context::Rows;
using oscbo::in_context::TensorFile;
using oscbo::in_context::TensorLimits;
using oscbo::in_context::Weights;

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

/// Any numbers are accepted; not a number too. One member and few points, to be fast.
void predict(const TensorFile& file) {
  const auto weights = std::make_shared<Weights<float>>(Weights<float>::read(file));
  Rows<double> X(2, 1);
  X(0, 0) = 0.2;
  X(1, 0) = 0.7;
  const Ensemble<float> ensemble(weights, X, std::vector{1.0, 3.0},
                                 {.members = 1, .adds_tails = false});
  static_cast<void>(ensemble.quantiles(X));
  Rows<double> query(1, 1);
  query(0, 0) = 0.4;
  static_cast<void>(ensemble.moments_with_gradients(query));
}

void read(std::span<const std::byte> bytes) {
  try {
    constexpr TensorLimits kLimits{.file_bytes = 65536, .header_bytes = 16384, .tensors = 128};
    const TensorFile file(bytes, "fuzz", kLimits);
    if (!is_sound(file, bytes)) std::abort();
    read_values(file);
    predict(file);
  } catch (const oscbo::Error& error) {
    if (error.code() != oscbo::ErrorCode::invalid_value) std::abort();
  }
}

/// The file of a model that is as small as possible.
const std::vector<std::byte>& smallest_file() {
  static const std::vector<std::byte> kFile = [] {
    auto metadata = oscbo::in_context::small_metadata();
    metadata["embed_dim"] = "4";
    metadata["row_num_cls"] = "1";
    metadata["icl_nhead"] = "1";
    metadata["num_quantiles"] = "2";
    for (const char* blocks : {"col_num_blocks", "row_num_blocks", "icl_num_blocks"}) {
      metadata[blocks] = "1";
    }
    return oscbo::in_context::ModelFile(metadata).bytes();
  }();
  return kFile;
}

/// Changes bytes of a model: groups of four bytes are a place, a value and a kind of change.
std::vector<std::byte> changed_model(std::span<const std::uint8_t> changes) {
  std::vector<std::byte> file = smallest_file();
  for (; changes.size() >= 4 && !file.empty(); changes = changes.subspan(4)) {
    const std::size_t place = (changes[0] + std::size_t{256} * changes[1]) % file.size();
    const std::byte value{changes[2]};
    switch (changes[3] % 8) {
      case 0: file.resize(place); break;
      case 1: file.insert(file.end(), changes[0], value); break;
      case 2: file.insert(file.begin() + static_cast<std::ptrdiff_t>(place), value); break;
      case 3: file.erase(file.begin() + static_cast<std::ptrdiff_t>(place)); break;
      default: file[place] = value;
    }
  }
  return file;
}

/// Adds the length before a header, and some data behind it.
std::vector<std::byte> with_length(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kData = 8;
  const std::uint64_t header = bytes.size() < kData ? bytes.size() : bytes.size() - kData;
  std::vector<std::byte> file(sizeof(header) + bytes.size());
  std::memcpy(file.data(), &header, sizeof(header));
  std::copy_n(std::as_bytes(bytes).begin(), bytes.size(), file.begin() + sizeof(header));
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const oscbo::numeric::ThreadLimit alone(1);
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0: read(std::as_bytes(rest)); break;
    case 1: read(with_length(rest)); break;
    default: read(changed_model(rest));
  }
  return 0;
}
