// Products X B and X B^T with a fixed matrix B (depth x columns). B holds the weights of a layer,
// or the keys or values that queries attend to.
//
// B is stored in panels, each of which is two packets (packet.hpp) wide and is stored row by row.
// Every entry of X B is one chain of multiply-adds over the depth, and every entry of X B^T a fixed
// number of chains over the columns. So each row of a product has the same bits whatever the other
// rows of X are.
#pragma once

#include <algorithm>
#include <cstdint>

#include <Eigen/Core>

#include "in_context/packet.hpp"

namespace oscbo::in_context {

/// multiply_adds_done returns a counter: how many multiply-adds the products of this thread have
/// needed so far. Code that computes products adds to the counter. Tests and benchmarks read it
/// before and after.
[[nodiscard]] std::int64_t& multiply_adds_done();

/// Whether a product replaces the contents of the result or is added to them.
enum class Store { overwrite, add };

template <class Scalar>
class PackedMatrix {
 public:
  /// Columns of a panel; the last panel may have fewer.
  static constexpr Index kPanel = 2 * kWidth<Scalar>;

  PackedMatrix() = default;

  /// pack sets B(k, j) = entry(k, j).
  template <class Entry>
  void pack(Index depth, Index columns, const Entry& entry) {
    resize(depth, columns);
    for (Index first = 0; first < columns; first += kPanel) {
      const Index width = panel_width(first);
      Scalar* const panel = storage_.data() + first * depth;
      for (Index k = 0; k < depth; ++k) {
        for (Index j = 0; j < width; ++j) {
          panel[k * width + j] = first + j < columns ? entry(k, first + j) : Scalar(0);
        }
      }
    }
  }

  [[nodiscard]] Index depth() const { return depth_; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] Index scalars_held() const { return storage_.size(); }

  /// multiply computes Y = X B + bias, or adds it to Y. X has `rows` rows, `x_stride` apart;
  /// the rows of Y are `y_stride` apart. `bias` has one entry per column, or is null.
  void multiply(const Scalar* x, Index x_stride, Index rows, const Scalar* bias, Scalar* y,
                Index y_stride, Store store = Store::overwrite) const;

  /// multiply_transposed computes X = Y B^T, or adds it to X.
  void multiply_transposed(const Scalar* y, Index y_stride, Index rows, Scalar* x, Index x_stride,
                           Store store = Store::overwrite) const;

 private:
  void resize(Index depth, Index columns) {
    depth_ = depth;
    columns_ = columns;
    const Index size = depth * round_up_to_width<Scalar>(columns);
    if (storage_.size() < size) storage_.resize(size);
  }

  /// Returns how many columns the panel has that starts at column `first`, padding included.
  [[nodiscard]] Index panel_width(Index first) const {
    return std::min(kPanel, round_up_to_width<Scalar>(columns_) - first);
  }

  Eigen::Array<Scalar, Eigen::Dynamic, 1> storage_;
  Index depth_ = 0;
  Index columns_ = 0;
};

}  // namespace oscbo::in_context
