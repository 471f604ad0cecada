// Files of tensors in the safetensors format, as bytes in memory:
//
//   8 bytes        length of the header, little-endian
//   the header     JSON: name -> {"dtype": ..., "shape": [...], "data_offsets": [begin, end]}, and
//                  "__metadata__": strings by name
//   the data       all tensors without gaps, row by row, little-endian
//
// The file is untrusted input. Everything is checked before it is used, and a file that is not
// accepted gives an Error that names the tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numeric/padded_matrix.hpp"

namespace oscbo::in_context {

using numeric::Index;

enum class TensorType { f16, bf16, f32, f64 };

/// A tensor of a file. The bytes belong to the file.
struct Tensor {
  TensorType type = TensorType::f32;
  std::vector<Index> shape;
  std::span<const std::byte> bytes;

  /// size returns the number of entries.
  [[nodiscard]] Index size() const;
};

/// Limits on the files that are accepted. Reading allocates a small multiple of header_bytes.
struct TensorLimits {
  std::size_t file_bytes = std::size_t{1} << 30;
  std::size_t header_bytes = std::size_t{1} << 20;
  std::size_t tensors = 4096;
};

class TensorFile {
 public:
  /// Reads the header of a file. `bytes` must outlive the object. Error messages call the file by
  /// the name `source`. Throws Error (invalid_value).
  TensorFile(std::span<const std::byte> bytes, std::string source, const TensorLimits& limits = {});

  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] const std::map<std::string, Tensor>& tensors() const { return tensors_; }
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return metadata_; }

  /// tensor returns the tensor of this name. Throws Error (invalid_value) if there is none or if it
  /// has another shape.
  [[nodiscard]] const Tensor& tensor(const std::string& name, std::span<const Index> shape) const;

  /// copy writes the entries of a tensor to `values`, which must have the same size. Throws Error
  /// (invalid_value) if an entry is not finite. Scalar is float or double.
  template <class Scalar>
  void copy(const std::string& name, std::span<const Index> shape, std::span<Scalar> values) const;

  /// refuse throws Error (invalid_value) with `message` and the name of the tensor.
  [[noreturn]] void refuse(std::string_view tensor, const std::string& message) const;

 private:
  std::string source_;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// from_half returns the value of an IEEE 754 half-precision number.
[[nodiscard]] float from_half(std::uint16_t bits);

}  // namespace oscbo::in_context
