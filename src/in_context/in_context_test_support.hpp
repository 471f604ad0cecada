// Helpers that the tests of this room share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "in_context/safetensors.hpp"
#include "in_context/weights.hpp"
#include "text/file_test_support.hpp"

namespace oscbo::in_context {

/// A test that compares with the numbers of the public TabICL code. Their files are in the
/// subfolder in_context of the folder that OSCBO_DATA names. Without this subfolder, the test is
/// skipped.
class ReferenceTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::optional<std::string> folder = data_folder("in_context");
    if (!folder) GTEST_SKIP() << "OSCBO_DATA names no folder that has a folder in_context";
    folder_ = *folder + "/";
  }

  [[nodiscard]] std::vector<std::byte> bytes(const std::string& file) const {
    const std::string text = text_of_file(folder_ + file);
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
  }

  [[nodiscard]] nlohmann::json parsed(const std::string& file) const {
    return nlohmann::json::parse(text_of_file(folder_ + file));
  }

  template <class Scalar>
  [[nodiscard]] std::shared_ptr<const Weights<Scalar>> weights(const std::string& model) const {
    const std::vector<std::byte> held = bytes(model + ".safetensors");
    return std::make_shared<Weights<Scalar>>(Weights<Scalar>::read(TensorFile(held, model)));
  }

 private:
  std::string folder_;
};

/// Returns a tensor of a file as rows; its first dimension is the number of rows.
template <class Scalar>
Rows<Scalar> rows_of(const TensorFile& file, const std::string& name) {
  const Tensor& tensor = file.tensors().at(name);
  const Index rows = tensor.shape.front();
  Rows<Scalar> values(rows, tensor.size() / rows);
  file.copy(name, tensor.shape,
            std::span<Scalar>(values.data(), static_cast<std::size_t>(values.size())));
  return values;
}

/// Returns the largest |a - b| divided by the largest |b|, or infinity if the sizes differ or a
/// number is NaN.
template <class Scalar>
double largest_error(const Rows<Scalar>& a, const Rows<double>& b) {
  if (a.rows() != b.rows() || a.columns() != b.columns()) return HUGE_VAL;
  double worst = 0.0;
  double scale = 0.0;
  for (Index i = 0; i < a.size(); ++i) {
    const double error = std::abs(static_cast<double>(a.data()[i]) - b.data()[i]);
    if (!(error <= worst)) worst = std::isnan(error) ? HUGE_VAL : error;
    scale = std::max(scale, std::abs(b.data()[i]));
  }
  return worst / scale;
}

/// Returns a fixed value between -1 and 1 for each entry.
template <class Scalar>
Rows<Scalar> waves(Index rows, Index columns, double phase) {
  Rows<Scalar> values(rows, columns);
  for (Index i = 0; i < values.size(); ++i) {
    values.data()[i] = static_cast<Scalar>(std::sin(phase + 0.7 * static_cast<double>(i * i)));
  }
  return values;
}

template <class Scalar>
std::span<const Scalar> span_of(const Rows<Scalar>& rows) {
  return {rows.data(), static_cast<std::size_t>(rows.size())};
}

}  // namespace oscbo::in_context
