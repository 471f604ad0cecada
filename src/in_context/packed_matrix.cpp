#include "in_context/packed_matrix.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace oscbo::in_context {
namespace {

// As many sums as the registers hold: rows x packets of a tile.
#ifdef __AVX512F__
constexpr Index kTileRows = 12;
constexpr Index kTransposedRows = 6;
constexpr Index kTransposedDepth = 4;
#else
constexpr Index kTileRows = 6;
constexpr Index kTransposedRows = 3;
constexpr Index kTransposedDepth = 3;
#endif

/// The sums of a tile, all in registers.
template <class Scalar, std::size_t rows, std::size_t columns>
using PacketTile = std::array<std::array<Packet<Scalar>, columns>, rows>;

/// A tile of Y = X B: some rows, and the columns of one panel.
template <class Scalar>
struct Tile {
  const Scalar* x;
  Index x_stride;
  const Scalar* panel;
  Index depth;
  const Scalar* bias;  // or null
  Scalar* y;
  Index y_stride;
  Index columns;  // to be stored
  Store store;
};

/// Writes the entries of a packet that belong to Y.
template <class Scalar>
inline void finish_packet(const Tile<Scalar>& tile, Packet<Scalar>& sum, Index row, Index first) {
  const Index entries = std::min(kWidth<Scalar>, tile.columns - first);
  if (entries <= 0) return;
  Scalar* const y = tile.y + row * tile.y_stride + first;
  Packet<Scalar> other;
  if (entries == kWidth<Scalar>) {
    if (tile.bias != nullptr) {
      load(other, tile.bias + first);
      sum += other;
    }
    if (tile.store == Store::add) {
      load(other, static_cast<const Scalar*>(y));
      sum += other;
    }
    store(sum, y);
    return;
  }
  if (tile.bias != nullptr) {
    load_some(other, tile.bias + first, entries);
    sum += other;
  }
  if (tile.store == Store::add) {
    load_some(other, static_cast<const Scalar*>(y), entries);
    sum += other;
  }
  std::memcpy(y, &sum, static_cast<std::size_t>(entries) * sizeof(Scalar));
}

template <class Scalar, std::size_t rows, std::size_t packets>
void multiply_tile(const Tile<Scalar>& tile) {
  PacketTile<Scalar, rows, packets> sums;
#pragma GCC unroll 16
  for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (std::size_t p = 0; p < packets; ++p) sums[r][p] = Packet<Scalar>{};
  }
  const Scalar* b = tile.panel;
  for (Index k = 0; k < tile.depth; ++k, b += static_cast<Index>(packets) * kWidth<Scalar>) {
    std::array<Packet<Scalar>, packets> right{};
#pragma GCC unroll 4
    for (std::size_t p = 0; p < packets; ++p)
      load(right[p], b + static_cast<Index>(p) * kWidth<Scalar>);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < rows; ++r) {
      const Scalar left = tile.x[static_cast<Index>(r) * tile.x_stride + k];
#pragma GCC unroll 4
      for (std::size_t p = 0; p < packets; ++p) sums[r][p] += left * right[p];
    }
  }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (std::size_t p = 0; p < packets; ++p) {
      Packet<Scalar> sum = sums[r][p];  // a reference would keep the sums out of registers
      finish_packet(tile, sum, static_cast<Index>(r), static_cast<Index>(p) * kWidth<Scalar>);
    }
  }
}

template <class Scalar>
using TileFunction = void (*)(const Tile<Scalar>&);

/// The functions for 1..kTileRows rows.
template <class Scalar, std::size_t packets, std::size_t... rows>
constexpr std::array<TileFunction<Scalar>, sizeof...(rows)> tile_functions(
    std::index_sequence<rows...> /*rows*/) {
  return {multiply_tile<Scalar, rows + 1, packets>...};
}

template <class Scalar>
TileFunction<Scalar> tile_function(Index rows, Index packets) {
  static constexpr auto kOne = tile_functions<Scalar, 1>(std::make_index_sequence<kTileRows>());
  static constexpr auto kTwo = tile_functions<Scalar, 2>(std::make_index_sequence<kTileRows>());
  return (packets == 1 ? kOne : kTwo)[static_cast<std::size_t>(rows - 1)];
}

/// A tile of X = Y B^T: some rows, and the columns of X that belong to a few rows of B.
template <class Scalar>
struct TransposedTile {
  const Scalar* y;
  Index y_stride;
  Index columns;  // of B
  const Scalar* b;
  Index depth;    // of B
  Index first_k;  // row of B
  Scalar* x;
  Index x_stride;
  Store store;
};

/// Loads the packet of y at column j; lanes beyond the last column are zero.
template <class Scalar>
inline void load_columns(Packet<Scalar>& packet, const Scalar* y, Index j, Index columns) {
  if (j + kWidth<Scalar> <= columns) {
    load(packet, y + j);
  } else {
    load_some(packet, y + j, columns - j);
  }
}

/// Asks for the rows of a panel that the next tile needs. The processor does not expect them,
/// because the panels are far apart.
template <Index depth, class Scalar>
inline void prefetch(const Scalar* panel, Index width) {
  constexpr Index kLine = 64 / static_cast<Index>(sizeof(Scalar));
#pragma GCC unroll 8
  for (Index i = 0; i < depth * width; i += kLine) __builtin_prefetch(panel + i);
}

template <class Scalar, std::size_t rows, std::size_t depth>
void multiply_transposed_tile(const TransposedTile<Scalar>& tile) {
  constexpr Index kPanel = PackedMatrix<Scalar>::kPanel;
  constexpr auto kDepth = static_cast<Index>(depth);
  const Index padded = round_up_to_width<Scalar>(tile.columns);
  PacketTile<Scalar, rows, depth> sums;
#pragma GCC unroll 8
  for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < depth; ++k) sums[r][k] = Packet<Scalar>{};
  }
  for (Index first = 0; first < padded; first += kPanel) {
    const Index width = std::min(kPanel, padded - first);
    const Scalar* const b = tile.b + first * tile.depth + tile.first_k * width;
    if (tile.first_k + 2 * kDepth <= tile.depth) prefetch<kDepth>(b + kDepth * width, width);
    for (Index j = 0; j < width; j += kWidth<Scalar>) {
      std::array<Packet<Scalar>, depth> right{};
#pragma GCC unroll 4
      for (std::size_t k = 0; k < depth; ++k) load(right[k], b + static_cast<Index>(k) * width + j);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < rows; ++r) {
        Packet<Scalar> left;
        load_columns(left, tile.y + static_cast<Index>(r) * tile.y_stride, first + j, tile.columns);
#pragma GCC unroll 4
        for (std::size_t k = 0; k < depth; ++k) sums[r][k] += left * right[k];
      }
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < depth; ++k) {
      const Packet<Scalar> lanes = sums[r][k];
      const auto sum = sum_of_lanes<Scalar>(lanes);
      Scalar& x = tile.x[static_cast<Index>(r) * tile.x_stride + static_cast<Index>(k)];
      x = tile.store == Store::add ? x + sum : sum;
    }
  }
}

template <class Scalar, std::size_t rows>
void multiply_transposed_rows(TransposedTile<Scalar> tile) {
  Scalar* const x = tile.x;
  for (tile.first_k = 0; tile.first_k + kTransposedDepth <= tile.depth;
       tile.first_k += kTransposedDepth) {
    tile.x = x + tile.first_k;
    multiply_transposed_tile<Scalar, rows, kTransposedDepth>(tile);
  }
  for (; tile.first_k < tile.depth; ++tile.first_k) {
    tile.x = x + tile.first_k;
    multiply_transposed_tile<Scalar, rows, 1>(tile);
  }
}

template <class Scalar>
using TransposedFunction = void (*)(TransposedTile<Scalar>);

/// The functions for 1..kTransposedRows rows.
template <class Scalar, std::size_t... rows>
constexpr std::array<TransposedFunction<Scalar>, sizeof...(rows)> transposed_functions(
    std::index_sequence<rows...> /*rows*/) {
  return {multiply_transposed_rows<Scalar, rows + 1>...};
}

}  // namespace

std::int64_t& multiply_adds_done() {
  thread_local std::int64_t count = 0;
  return count;
}

template <class Scalar>
void PackedMatrix<Scalar>::multiply(const Scalar* x, Index x_stride, Index rows, const Scalar* bias,
                                    Scalar* y, Index y_stride, Store store) const {
  multiply_adds_done() += rows * depth_ * columns_;
  for (Index first = 0; first < columns_; first += kPanel) {
    const Index packets = panel_width(first) / kWidth<Scalar>;
    for (Index row = 0; row < rows; row += kTileRows) {
      const Tile<Scalar> tile{.x = x + row * x_stride,
                              .x_stride = x_stride,
                              .panel = storage_.data() + first * depth_,
                              .depth = depth_,
                              .bias = bias == nullptr ? nullptr : bias + first,
                              .y = y + row * y_stride + first,
                              .y_stride = y_stride,
                              .columns = columns_ - first,
                              .store = store};
      tile_function<Scalar>(std::min<Index>(kTileRows, rows - row), packets)(tile);
    }
  }
}

template <class Scalar>
void PackedMatrix<Scalar>::multiply_transposed(const Scalar* y, Index y_stride, Index rows,
                                               Scalar* x, Index x_stride, Store store) const {
  multiply_adds_done() += rows * depth_ * columns_;
  TransposedTile<Scalar> tile{.y = y,
                              .y_stride = y_stride,
                              .columns = columns_,
                              .b = storage_.data(),
                              .depth = depth_,
                              .first_k = 0,
                              .x = x,
                              .x_stride = x_stride,
                              .store = store};
  static constexpr auto kFunctions =
      transposed_functions<Scalar>(std::make_index_sequence<kTransposedRows>());
  for (Index row = 0; row < rows; row += kTransposedRows) {
    tile.y = y + row * y_stride;
    tile.x = x + row * x_stride;
    const Index count = std::min<Index>(kTransposedRows, rows - row);
    kFunctions[static_cast<std::size_t>(count - 1)](tile);
  }
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;

}  // namespace oscbo::in_context
