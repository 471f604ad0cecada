// A matrix whose rows follow each other in memory. The storage is aligned and padded to whole
// chunks. Elementwise functions are applied to whole chunks, so every entry is computed in the same
// way, wherever it is.
#pragma once

#include <algorithm>

#include <Eigen/Core>

#include "numeric/padded_matrix.hpp"

namespace oscbo::in_context {

using numeric::Index;

/// Elementwise functions are computed for this many entries at a time.
inline constexpr Index kChunk = 16;

template <class Scalar>
using Chunk = Eigen::Array<Scalar, kChunk, 1>;

constexpr Index round_up_to_chunks(Index n) { return (n + kChunk - 1) / kChunk * kChunk; }

template <class Scalar>
class Rows {
 public:
  using Array = Eigen::Array<Scalar, Eigen::Dynamic, 1>;
  using ChunkMap = Eigen::Map<Chunk<Scalar>, Eigen::Aligned64>;
  using ConstChunkMap = Eigen::Map<const Chunk<Scalar>, Eigen::Aligned64>;

  Rows() = default;
  Rows(Index rows, Index columns) { resize(rows, columns); }

  /// resize leaves the contents unspecified. Memory never shrinks.
  void resize(Index rows, Index columns) {
    rows_ = rows;
    columns_ = columns;
    if (storage_.size() < padded_size()) storage_.setZero(padded_size());
  }

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] Index size() const { return rows_ * columns_; }

  [[nodiscard]] Scalar* data() { return storage_.data(); }
  [[nodiscard]] const Scalar* data() const { return storage_.data(); }
  [[nodiscard]] Scalar* row(Index i) { return storage_.data() + i * columns_; }
  [[nodiscard]] const Scalar* row(Index i) const { return storage_.data() + i * columns_; }
  Scalar& operator()(Index i, Index j) { return storage_[i * columns_ + j]; }
  Scalar operator()(Index i, Index j) const { return storage_[i * columns_ + j]; }

  /// The entries and the padding behind them, in chunks.
  [[nodiscard]] Index chunks() const { return padded_size() / kChunk; }
  [[nodiscard]] ChunkMap chunk(Index i) { return ChunkMap(data() + i * kChunk); }
  [[nodiscard]] ConstChunkMap chunk(Index i) const { return ConstChunkMap(data() + i * kChunk); }

  void set_zero() { std::fill_n(data(), size(), Scalar(0)); }

 private:
  [[nodiscard]] Index padded_size() const { return round_up_to_chunks(rows_ * columns_); }

  Array storage_;
  Index rows_ = 0;
  Index columns_ = 0;
};

}  // namespace oscbo::in_context
