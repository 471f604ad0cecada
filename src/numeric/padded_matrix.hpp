// Dense column-major storage whose columns start on a cache line.
//
// The number of rows is rounded up to a multiple of kLanes, so that every loop over a column
// processes whole, aligned packets. There are no scalar tails. The order of a sum, and so its last
// bit, does not depend on where the allocator put the memory. Columns are an odd number of cache
// lines apart, so that a walk along a row uses all sets of the cache.
#pragma once

#include <algorithm>
#include <cstddef>

#include <Eigen/Core>

namespace oscbo::numeric {

using Index = std::ptrdiff_t;
using Vector = Eigen::VectorXd;

/// Doubles per packet: one AVX-512 or AVX2 register.
#ifdef __AVX512F__
inline constexpr Index kLanes = 8;
#else
inline constexpr Index kLanes = 4;
#endif
inline constexpr Index kCacheLine = 64 / sizeof(double);

static_assert(EIGEN_MAX_ALIGN_BYTES >= kCacheLine * sizeof(double),
              "build with EIGEN_MAX_ALIGN_BYTES=64: packets need cache-line aligned storage");

/// A packet of doubles. Arithmetic on packets is elementwise.
using Packet = double __attribute__((vector_size(kLanes * sizeof(double))));

/// round_up_to_lanes returns the smallest multiple of kLanes that is at least n.
constexpr Index round_up_to_lanes(Index n) { return (n + kLanes - 1) / kLanes * kLanes; }

/// round_down_to_lanes returns the largest multiple of kLanes that is at most n.
constexpr Index round_down_to_lanes(Index n) { return n / kLanes * kLanes; }

inline Packet& packet_at(double* aligned) { return *reinterpret_cast<Packet*>(aligned); }
inline const Packet& packet_at(const double* aligned) {
  return *reinterpret_cast<const Packet*>(aligned);
}

/// sum_of_lanes adds the lanes in a fixed order.
inline double sum_of_lanes(const Packet& packet) {
  double sum = packet[0];
  for (Index lane = 1; lane < kLanes; ++lane) sum += packet[lane];
  return sum;
}

class PaddedMatrix {
 public:
  PaddedMatrix() = default;
  PaddedMatrix(Index rows, Index columns) { resize(rows, columns); }

  /// resize leaves the contents unspecified. Memory never shrinks.
  void resize(Index rows, Index columns) {
    rows_ = rows;
    columns_ = columns;
    stride_ = stride_for(rows);
    reserve_doubles(stride_ * columns);
  }

  /// grow keeps the contents. New entries and the padding are zero. If it has to allocate, it
  /// leaves room for 3 % more rows and columns, so that growing by one is cheap.
  void grow(Index rows, Index columns) {
    if (rows > stride_ || stride_ * columns > storage_.size()) {
      PaddedMatrix larger;
      larger.stride_ = stride_for(rows + rows / kRoom);
      larger.storage_.setZero(larger.stride_ * (columns + columns / kRoom));
      larger.rows_ = rows_;
      larger.columns_ = columns_;
      for (Index j = 0; j < columns_; ++j) std::copy_n(column(j), rows_, larger.column(j));
      *this = std::move(larger);
    }
    const Index padded = round_up_to_lanes(rows);
    for (Index j = 0; j < columns_; ++j) std::fill(column(j) + rows_, column(j) + padded, 0.0);
    for (Index j = columns_; j < columns; ++j) std::fill_n(column(j), padded, 0.0);
    rows_ = rows;
    columns_ = columns;
  }

  /// truncate keeps the first `rows` rows and `columns` columns. The padding is unspecified.
  void truncate(Index rows, Index columns) {
    rows_ = rows;
    columns_ = columns;
  }

  /// reserve makes later calls of resize up to this size free of allocation. If it has to allocate,
  /// it discards the contents and grows the memory by at least 6 %, so that a matrix that grows one
  /// row at a time allocates rarely.
  void reserve(Index rows, Index columns) { reserve_doubles(stride_for(rows) * columns); }

  void set_zero() { std::fill_n(storage_.data(), stride_ * columns_, 0.0); }

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] Index padded_rows() const { return round_up_to_lanes(rows_); }
  [[nodiscard]] Index stride() const { return stride_; }
  [[nodiscard]] Index capacity() const { return storage_.size(); }  // in doubles

  [[nodiscard]] double* column(Index j) { return storage_.data() + j * stride_; }
  [[nodiscard]] const double* column(Index j) const { return storage_.data() + j * stride_; }

  double& operator()(Index i, Index j) { return storage_[i + j * stride_]; }
  double operator()(Index i, Index j) const { return storage_[i + j * stride_]; }

 private:
  static constexpr Index kRoom = 32;

  static constexpr Index stride_for(Index rows) {
    const Index lines = (rows + kCacheLine - 1) / kCacheLine;
    return (lines % 2 == 0 ? lines + 1 : lines) * kCacheLine;
  }

  void reserve_doubles(Index count) {
    const Index held = storage_.size();
    if (held < count) storage_.setZero(std::max(count, held + held / 16));
  }

  Vector storage_;  // aligned to a cache line, see EIGEN_MAX_ALIGN_BYTES above
  Index rows_ = 0;
  Index columns_ = 0;
  Index stride_ = 0;
};

/// grow_to makes the vector at least `size` long. It keeps what the vector holds; the rest is zero.
inline void grow_to(Vector& vector, Index size) {
  const Index old = vector.size();
  if (old >= size) return;
  vector.conservativeResize(size);
  vector.tail(size - old).setZero();
}

}  // namespace oscbo::numeric
