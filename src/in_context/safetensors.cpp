#include "in_context/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/refusal.hpp"
#include "text/fields.hpp"
#include "text/strict_json.hpp"

static_assert(std::endian::native == std::endian::little, "tensors are stored little-endian");

namespace oscbo::in_context {
namespace {

using text::Json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMostDimensions = 8;
constexpr const char* kMetadata = "__metadata__";

struct NamedType {
  std::string_view name;
  TensorType type;
  std::size_t bytes;
};
constexpr std::array<NamedType, 4> kTypes{{{"F16", TensorType::f16, 2},
                                           {"BF16", TensorType::bf16, 2},
                                           {"F32", TensorType::f32, 4},
                                           {"F64", TensorType::f64, 8}}};

std::size_t bytes_of(TensorType type) {
  return std::find_if(kTypes.begin(), kTypes.end(),
                      [type](const NamedType& known) { return known.type == type; })
      ->bytes;
}

/// Returns a text of the file as it may be shown: short, and without control characters.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 100;
  std::string result(text.substr(0, kLongest));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  if (text.size() > kLongest) result += "...";
  return result;
}

std::string shape_text(std::span<const Index> shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

/// Returns the JSON text between the length and the data.
std::string_view header_of(std::span<const std::byte> bytes, const std::string& source,
                           const TensorLimits& limits) {
  if (bytes.size() > limits.file_bytes) {
    base::refuse(source, fmt::format("has {} bytes; at most {} are accepted", bytes.size(),
                                     limits.file_bytes));
  }
  if (bytes.size() < kLengthBytes) {
    base::refuse(source, "is too short to be a safetensors file");
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > limits.header_bytes) {
    base::refuse(source, fmt::format("is not a safetensors file: its header would have {} bytes; "
                                     "at most {} are accepted",
                                     length, limits.header_bytes));
  }
  if (length > bytes.size() - kLengthBytes) {
    base::refuse(source, fmt::format("is cut off: its header has {} bytes, the file only {}",
                                     length, bytes.size()));
  }
  return {reinterpret_cast<const char*>(bytes.data()) + kLengthBytes,
          static_cast<std::size_t>(length)};
}

/// Reads the declarations of the tensors.
class HeaderReader {
 public:
  HeaderReader(const TensorFile& file, std::span<const std::byte> data)
      : file_(file), data_(data) {}

  [[nodiscard]] Tensor read(const std::string& name, const Json& declaration) const {
    if (!declaration.is_object()) file_.refuse(name, "must be an object with named fields");
    for (const auto& [field, value] : declaration.items()) {
      if (field != "dtype" && field != "shape" && field != "data_offsets") {
        file_.refuse(name, fmt::format("'{}' is not a known field; use dtype, shape, data_offsets",
                                       shown(field)));
      }
    }
    Tensor tensor;
    tensor.type = type(name, declaration);
    tensor.shape = shape(name, declaration);
    tensor.bytes = bytes(name, declaration);
    check_size(name, tensor);
    return tensor;
  }

 private:
  [[nodiscard]] const Json& field(const std::string& name, const Json& declaration,
                                  const char* wanted) const {
    const auto found = declaration.find(wanted);
    if (found == declaration.end()) file_.refuse(name, fmt::format("{} is missing", wanted));
    return *found;
  }

  [[nodiscard]] TensorType type(const std::string& name, const Json& declaration) const {
    const Json& value = field(name, declaration, "dtype");
    const std::string word = value.is_string() ? value.get<std::string>() : "";
    for (const NamedType& known : kTypes) {
      if (known.name == word) return known.type;
    }
    file_.refuse(
        name, fmt::format("dtype '{}' is not accepted; use F16 | BF16 | F32 | F64", shown(word)));
  }

  /// Returns an integer that a file can hold as a size or an offset.
  [[nodiscard]] std::int64_t whole(const std::string& name, const char* what,
                                   const Json& value) const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
    const bool accepted = value.is_number_unsigned() && value.get<std::uint64_t>() <= kMost;
    if (!accepted) file_.refuse(name, fmt::format("{} must hold integers from 0 to 2^40", what));
    return value.get<std::int64_t>();
  }

  [[nodiscard]] std::vector<Index> shape(const std::string& name, const Json& declaration) const {
    const Json& list = field(name, declaration, "shape");
    if (!list.is_array() || list.size() > kMostDimensions) {
      file_.refuse(name, fmt::format("shape must be a list of at most {} sizes", kMostDimensions));
    }
    std::vector<Index> sizes;
    for (const Json& size : list) sizes.push_back(whole(name, "shape", size));
    return sizes;
  }

  [[nodiscard]] std::span<const std::byte> bytes(const std::string& name,
                                                 const Json& declaration) const {
    const Json& offsets = field(name, declaration, "data_offsets");
    if (!offsets.is_array() || offsets.size() != 2) {
      file_.refuse(name, "data_offsets must be a list of two offsets");
    }
    const auto begin = static_cast<std::size_t>(whole(name, "data_offsets", offsets[0]));
    const auto end = static_cast<std::size_t>(whole(name, "data_offsets", offsets[1]));
    if (begin > end || end > data_.size()) {
      file_.refuse(name, fmt::format("data_offsets [{}, {}] are not in the file, which has {} "
                                     "bytes of data",
                                     begin, end, data_.size()));
    }
    return data_.subspan(begin, end - begin);
  }

  void check_size(const std::string& name, const Tensor& tensor) const {
    const std::size_t held = tensor.bytes.size() / bytes_of(tensor.type);
    std::size_t wanted = 1;
    const bool empty = std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
    for (const Index size : tensor.shape) {
      if (empty) break;
      if (wanted > held / static_cast<std::size_t>(size)) wanted = held + 1;
      if (wanted > held) break;
      wanted *= static_cast<std::size_t>(size);
    }
    if (empty) wanted = 0;
    if (wanted * bytes_of(tensor.type) != tensor.bytes.size()) {
      file_.refuse(name, fmt::format("has {} bytes, which does not fit its shape {}",
                                     tensor.bytes.size(), shape_text(tensor.shape)));
    }
  }

  const TensorFile& file_;
  std::span<const std::byte> data_;
};

/// The tensors must follow each other without gaps and fill the data.
void check_layout(const TensorFile& file, std::span<const std::byte> data) {
  struct Place {
    std::size_t begin, end;
    const std::string* name;
  };
  std::vector<Place> places;
  for (const auto& [name, tensor] : file.tensors()) {
    const auto begin = static_cast<std::size_t>(tensor.bytes.data() - data.data());
    places.push_back({begin, begin + tensor.bytes.size(), &name});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::size_t end = 0;
  for (const Place& place : places) {
    if (place.begin < end) file.refuse(*place.name, "overlaps another tensor");
    if (place.begin > end) {
      file.refuse(*place.name, fmt::format("leaves {} bytes before it unused", place.begin - end));
    }
    end = place.end;
  }
  if (end != data.size()) {
    base::refuse(file.source(), fmt::format("has {} bytes after the last tensor; none are accepted",
                                            data.size() - end));
  }
}

template <class Stored>
Stored stored_at(std::span<const std::byte> bytes, std::size_t i) {
  Stored value;
  std::memcpy(&value, bytes.data() + i * sizeof(Stored), sizeof(Stored));
  return value;
}

double entry(const Tensor& tensor, std::size_t i) {
  switch (tensor.type) {
    case TensorType::f16: return from_half(stored_at<std::uint16_t>(tensor.bytes, i));
    case TensorType::bf16: {
      const std::uint32_t bits = stored_at<std::uint16_t>(tensor.bytes, i);
      return std::bit_cast<float>(bits << 16U);
    }
    case TensorType::f32: return stored_at<float>(tensor.bytes, i);
    case TensorType::f64: return stored_at<double>(tensor.bytes, i);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Index Tensor::size() const { return static_cast<Index>(bytes.size() / bytes_of(type)); }

TensorFile::TensorFile(std::span<const std::byte> bytes, std::string source,
                       const TensorLimits& limits)
    : source_(std::move(source)) {
  const std::string_view header = header_of(bytes, source_, limits);
  const std::span<const std::byte> data = bytes.subspan(kLengthBytes + header.size());
  const Json declarations = text::parse_json(header, source_);
  if (!declarations.is_object()) base::refuse(source_, "its header must be an object");
  if (declarations.size() > limits.tensors) {
    base::refuse(source_, fmt::format("has {} tensors; at most {} are accepted",
                                      declarations.size(), limits.tensors));
  }
  const HeaderReader reader(*this, data);
  for (const auto& [name, declaration] : declarations.items()) {
    if (name != kMetadata) {
      tensors_.emplace(name, reader.read(name, declaration));
      continue;
    }
    if (!declaration.is_object()) refuse(kMetadata, "must be an object with named texts");
    for (const auto& [key, value] : declaration.items()) {
      if (!value.is_string()) {
        refuse(kMetadata, fmt::format("'{}' must be a text", shown(key)));
      }
      metadata_.emplace(key, value.get<std::string>());
    }
  }
  check_layout(*this, data);
}

const Tensor& TensorFile::tensor(const std::string& name, std::span<const Index> shape) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    refuse(name,
           fmt::format("is missing; use a file that has it with shape {}", shape_text(shape)));
  }
  if (!std::equal(shape.begin(), shape.end(), found->second.shape.begin(),
                  found->second.shape.end())) {
    refuse(name, fmt::format("shape {} is not accepted; use {}", shape_text(found->second.shape),
                             shape_text(shape)));
  }
  return found->second;
}

template <class Scalar>
void TensorFile::copy(const std::string& name, std::span<const Index> shape,
                      std::span<Scalar> values) const {
  const Tensor& source = tensor(name, shape);
  if (source.type == TensorType::f32) {  // nearly all of them
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<Scalar>(stored_at<float>(source.bytes, i));
    }
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<Scalar>(entry(source, i));
    }
  }
  if (!std::all_of(values.begin(), values.end(), [](Scalar x) { return std::isfinite(x); })) {
    refuse(name, "has entries that are not finite numbers");
  }
}

template void TensorFile::copy(const std::string&, std::span<const Index>, std::span<float>) const;
template void TensorFile::copy(const std::string&, std::span<const Index>, std::span<double>) const;

void TensorFile::refuse(std::string_view tensor, const std::string& message) const {
  base::refuse(source_, fmt::format("tensor '{}': {}", shown(tensor), message));
}

// A half has 5 bits of exponent with bias 15 and 10 bits of fraction, a float 8 with bias 127
// and 23.
float from_half(std::uint16_t bits) {
  constexpr std::uint32_t kOther = 127 - 15;  // exponent of a float for exponent 0 of a half
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 31U;
  const std::uint32_t fraction = bits & 1023U;
  if (exponent == 0) {  // zero or subnormal: the fraction is a number of 2^-24
    return std::bit_cast<float>(sign | 0x3f800000U) * std::ldexp(static_cast<float>(fraction), -24);
  }
  const std::uint32_t shifted = exponent == 31 ? 255 : exponent + kOther;
  return std::bit_cast<float>(sign | (shifted << 23U) | (fraction << 13U));
}

}  // namespace oscbo::in_context
