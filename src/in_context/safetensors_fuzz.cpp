// Reads arbitrary bytes as a file of tensors and, if the file is accepted, as a model. The first
// byte says what the other bytes are, so that inputs get beyond the first checks:
//
//   - a file,
//   - a header and some data, to which the length of the header is added,
//   - changes to the file of a small model, or
//   - the sizes of a model and some of its weights.
//
// A model that is accepted must predict without a crash, whatever its weights. Everything else must
// throw Error (invalid_value).
//
// scripts/fuzz-seeds writes inputs to start from.
#include "in_context/safetensors.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "in_context/ensemble.hpp"
#include "in_context/random_model_test_support.hpp"
#include "in_context/weights.hpp"
#include "numeric/parallel.hpp"
#include "oscbo/error.hpp"

namespace {

using oscbo::in_context::Ensemble;
using oscbo::in_context::Index;
using oscbo::in_context::Metadata;
using oscbo::in_context::ModelFile;
using oscbo::in_context::Rows;
using oscbo::in_context::TensorFile;
using oscbo::in_context::TensorLimits;
using oscbo::in_context::Weights;

using Bytes = std::vector<std::byte>;

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

/// Points of the unit cube.
Rows<double> points(Index count, Index features) {
  Rows<double> X(count, features);
  for (Index i = 0; i < X.size(); ++i) X.data()[i] = static_cast<double>(7 * i % 5) / 4.0;
  return X;
}

/// Any numbers are accepted; not a number too. One member and few points, to be fast.
void predict(const TensorFile& file, Index count, Index features) {
  const auto weights = std::make_shared<Weights<float>>(Weights<float>::read(file));
  std::vector<double> y(static_cast<std::size_t>(count), 1.0);
  y.back() = 3.0;
  const Rows<double> X = points(count, features);
  const Ensemble<float> ensemble(weights, X, y, {.members = 1});
  static_cast<void>(ensemble.quantiles(X));
  static_cast<void>(ensemble.moments_with_gradients(points(1, features)));
}

void read(std::span<const std::byte> bytes, Index count, Index features) {
  try {
    constexpr TensorLimits kLimits{.file_bytes = 65536, .header_bytes = 16384, .tensors = 128};
    const TensorFile file(bytes, "fuzz", kLimits);
    if (!is_sound(file, bytes)) std::abort();
    read_values(file);
    predict(file, count, features);
  } catch (const oscbo::Error& error) {
    if (error.code() != oscbo::ErrorCode::invalid_value) std::abort();
  }
}

std::size_t place_in(std::span<const std::uint8_t> two_bytes, std::size_t size) {
  return (two_bytes[0] + std::size_t{256} * two_bytes[1]) % size;
}

/// Changes bytes of a model: groups of four bytes are a place, a value and a kind of change. There
/// are few changes, because most of them make the header unreadable.
Bytes changed_model(std::span<const std::uint8_t> changes) {
  static const Bytes kModel = ModelFile(oscbo::in_context::smallest_metadata()).bytes();
  constexpr std::size_t kMostChanges = 6;
  Bytes file = kModel;
  changes = changes.first(std::min(changes.size(), 4 * kMostChanges));
  for (; changes.size() >= 4 && !file.empty(); changes = changes.subspan(4)) {
    const std::size_t place = place_in(changes, file.size());
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

/// A size of a model, and what four values of a byte make of it. About half of the choices fit each
/// other.
struct SizeChoice {
  const char* name;
  std::array<const char*, 4> values;
};
constexpr std::array<SizeChoice, 11> kSizeChoices{{{"embed_dim", {"4", "8", "2", "6"}},
                                                   {"col_num_blocks", {"1", "1", "1", "2"}},
                                                   {"col_nhead", {"2", "1", "4", "3"}},
                                                   {"col_num_inds", {"3", "1", "2", "17"}},
                                                   {"row_num_blocks", {"1", "1", "2", "3"}},
                                                   {"row_nhead", {"2", "1", "4", "3"}},
                                                   {"row_num_cls", {"1", "2", "3", "1"}},
                                                   {"icl_num_blocks", {"1", "2", "1", "1"}},
                                                   {"icl_nhead", {"1", "2", "4", "3"}},
                                                   {"ff_factor", {"2", "1", "3", "2"}},
                                                   {"num_quantiles", {"2", "3", "1", "19"}}}};

/// A model whose sizes are chosen by bytes. Then groups of six bytes are a place among the weights
/// and a weight.
Bytes declared_model(std::span<const std::uint8_t> bytes) {
  Metadata metadata = oscbo::in_context::smallest_metadata();
  for (const SizeChoice& size : kSizeChoices) {
    if (bytes.empty()) break;
    metadata[size.name] = size.values[bytes.front() % 4];
    bytes = bytes.subspan(1);
  }
  Bytes file = ModelFile(metadata).bytes();
  constexpr std::size_t kPlaces = 600;  // any model has more weights
  for (; bytes.size() >= 6; bytes = bytes.subspan(6)) {
    const std::size_t place = file.size() - sizeof(float) * (1 + place_in(bytes, kPlaces));
    std::memcpy(file.data() + place, bytes.data() + 2, sizeof(float));
  }
  return file;
}

/// Adds the length before a header, and some data behind it.
Bytes with_length(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kData = 8;
  const std::uint64_t header = bytes.size() < kData ? bytes.size() : bytes.size() - kData;
  Bytes file(sizeof(header) + bytes.size());
  std::memcpy(file.data(), &header, sizeof(header));
  std::copy_n(std::as_bytes(bytes).begin(), bytes.size(), file.begin() + sizeof(header));
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const oscbo::numeric::ThreadLimit alone(1);
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  const Index count = 1 + data[0] / 4 % 3;
  const Index features = 1 + data[0] / 16 % 4;
  switch (data[0] % 4) {
    case 0: read(std::as_bytes(rest), count, features); break;
    case 1: read(with_length(rest), count, features); break;
    case 2: read(changed_model(rest), count, features); break;
    default: read(declared_model(rest), count, features);
  }
  return 0;
}
