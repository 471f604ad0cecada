#include "numeric/cholesky.hpp"

#include <cmath>
#include <limits>

namespace oscbo::numeric {
namespace {

// A tile is a block of kLanes rows by kPanel columns held in registers.
constexpr Index kPanel = kLanes;

class Tile {
 public:
  Packet& operator[](Index c) { return columns_[static_cast<std::size_t>(c)]; }
  const Packet& operator[](Index c) const { return columns_[static_cast<std::size_t>(c)]; }

 private:
  std::array<Packet, kPanel> columns_{};
};

/// tile[c] += Sign * sum_{k = begin}^{end-1} left[:, k] * right[c, k]: the kernel on which the time
/// is spent. `left` points at the tile's first row, `right` at the row of its first column. A panel
/// cut short by the last column still reads kPanel rows of `right`: the padding holds them. Even
/// and odd terms are summed apart, so that enough independent operations are in flight.
template <int Sign>
inline void accumulate(Tile& tile, const double* left, Index left_stride, const double* right,
                       Index right_stride, Index begin, Index end) {
  const auto add = [&](Tile& sum, Index k) {
    const Packet rows = packet_at(left + k * left_stride);
    const double* factors = right + k * right_stride;
    for (Index c = 0; c < kPanel; ++c) {
      if constexpr (Sign > 0) {
        sum[c] += rows * factors[c];
      } else {
        sum[c] -= rows * factors[c];
      }
    }
  };
  Tile even = tile;  // local copies stay in registers
  Tile odd;
  Index k = begin;
  for (; k + 1 < end; k += 2) {
    add(even, k);
    add(odd, k + 1);
  }
  if (k < end) add(even, k);
  for (Index c = 0; c < kPanel; ++c) tile[c] = even[c] + odd[c];
}

inline Tile load(const double* first, Index stride, Index width) {
  Tile tile;
  for (Index c = 0; c < width; ++c) tile[c] = packet_at(first + c * stride);
  return tile;
}

inline void store(const Tile& tile, double* first, Index stride, Index width) {
  for (Index c = 0; c < width; ++c) packet_at(first + c * stride) = tile[c];
}

/// Solves tile L_JJ^T = tile for the diagonal block L_JJ at `block`.
inline void solve_tile(Tile& tile, const double* block, Index stride,
                       const double* inverse_diagonal, Index width) {
  for (Index c = 0; c < width; ++c) {
    Packet& column = tile[c];
    for (Index b = 0; b < c; ++b) column -= tile[b] * block[c + b * stride];
    column *= inverse_diagonal[c];
  }
}

Index panel_width(Index n, Index J) { return std::min(kPanel, n - J); }

/// A pivot this small against its diagonal entry is rounding error: the backward error of the
/// factorization is about n eps |A|.
bool is_positive_pivot(double pivot, double diagonal, Index n) {
  return pivot > static_cast<double>(n) * std::numeric_limits<double>::epsilon() * diagonal;
}

}  // namespace

void Cholesky::reserve(Index n) {
  L_.reserve(n + 2, n);
  if (inverse_diagonal_.size() < n) inverse_diagonal_.conservativeResize(n);
}

bool Cholesky::factorize(Index n) {
  if (inverse_diagonal_.size() < n) inverse_diagonal_.conservativeResize(n);
  n_ = n;
  const Index stride = L_.stride();

  for (Index J = 0; J < n; J += kPanel) {
    const Index width = panel_width(n, J);
    double* panel = L_.column(J);
    const double* right = L_.column(0) + J;
    const Index diagonal_tile = round_down_to_lanes(J);

    for (Index I = diagonal_tile; I < L_.padded_rows(); I += kLanes) {
      Tile tile = load(panel + I, stride, width);
      accumulate<-1>(tile, L_.column(0) + I, stride, right, stride, 0, J);

      if (I == diagonal_tile) {
        for (Index c = 0; c < width; ++c) {
          const Index lane = J + c - I;
          const double pivot = tile[c][lane];
          if (!is_positive_pivot(pivot, panel[c * stride + J + c], n)) return false;
          inverse_diagonal_[J + c] = 1.0 / std::sqrt(pivot);
          tile[c] *= inverse_diagonal_[J + c];
          for (Index b = c + 1; b < width; ++b) {
            tile[b] -= tile[c] * tile[c][J + b - I];
          }
        }
      } else {
        solve_tile(tile, panel + J, stride, inverse_diagonal_.data() + J, width);
      }
      store(tile, panel + I, stride, width);
    }
  }
  return true;
}

bool Cholesky::append(const Vector& row, double diagonal) {
  PaddedMatrix b(1, n_);
  for (Index j = 0; j < n_; ++j) packet_at(b.column(j)) = Packet{row[j]};
  solve_rows(b);
  double explained = 0.0;
  for (Index j = 0; j < n_; ++j) explained += b(0, j) * b(0, j);
  const double pivot = diagonal - explained;
  if (!is_positive_pivot(pivot, diagonal, n_ + 1)) return false;

  L_.grow(n_ + 1, n_ + 1);
  for (Index j = 0; j < n_; ++j) L_(n_, j) = b(0, j);
  L_(n_, n_) = std::sqrt(pivot);
  if (inverse_diagonal_.size() == n_) inverse_diagonal_.conservativeResize(2 * n_ + 1);
  inverse_diagonal_[n_] = 1.0 / L_(n_, n_);
  ++n_;
  return true;
}

void Cholesky::solve_rows(PaddedMatrix& B) const {
  for (Index J = 0; J < n_; J += kPanel) {
    const Index width = panel_width(n_, J);
    for (Index I = 0; I < B.padded_rows(); I += kLanes) {
      Tile tile = load(B.column(J) + I, B.stride(), width);
      accumulate<-1>(tile, B.column(0) + I, B.stride(), L_.column(0) + J, L_.stride(), 0, J);
      solve_tile(tile, L_.column(J) + J, L_.stride(), inverse_diagonal_.data() + J, width);
      store(tile, B.column(J) + I, B.stride(), width);
    }
  }
}

void Cholesky::inverse_transposed(PaddedMatrix& U) const {
  U.resize(n_, n_);
  for (Index J = 0; J < n_; J += kPanel) {
    const Index width = panel_width(n_, J);
    for (Index I = 0; I <= J; I += kLanes) {
      Tile tile;
      for (Index c = 0; c < width; ++c) {
        const Index lane = J + c - I;
        if (lane < kLanes) tile[c][lane] = 1.0;
      }
      // Row i of U starts at column i, so columns before the tile's first row contribute nothing.
      accumulate<-1>(tile, U.column(0) + I, U.stride(), L_.column(0) + J, L_.stride(), I, J);
      solve_tile(tile, L_.column(J) + J, L_.stride(), inverse_diagonal_.data() + J, width);
      store(tile, U.column(J) + I, U.stride(), width);
    }
  }
}

double contract_sandwich(const PaddedMatrix& U, const PaddedMatrix& R, Index n,
                         const PaddedMatrix& W, PaddedMatrix* product) {
  Packet total{};
  for (Index J = 0; J < n; J += kPanel) {
    const Index width = panel_width(n, J);
    for (Index I = round_down_to_lanes(J); I < round_up_to_lanes(n); I += kLanes) {
      Tile tile;
      accumulate<+1>(tile, U.column(0) + I, U.stride(), R.column(0) + J, R.stride(), I, n);
      for (Index c = 0; c < width; ++c) {
        const Packet weighted = tile[c] * packet_at(W.column(J + c) + I);
        total += weighted;
        if (product != nullptr) packet_at(product->column(J + c) + I) = weighted;
      }
    }
  }
  return sum_of_lanes(total);
}

void upper_transposed_times(const PaddedMatrix& U, Index n, const Vector& k, Vector& v) {
  for (Index j = 0; j < n; ++j) {
    const double* column = U.column(j);
    Packet sum{};
    for (Index i = 0; i <= j; i += kLanes) sum += packet_at(column + i) * packet_at(k.data() + i);
    v[j] = sum_of_lanes(sum);
  }
}

void upper_times(const PaddedMatrix& U, Index n, const Vector& v, Vector& w) {
  w.setZero();
  for (Index j = 0; j < n; ++j) {
    const double* column = U.column(j);
    for (Index i = 0; i <= j; i += kLanes) packet_at(w.data() + i) += packet_at(column + i) * v[j];
  }
}

}  // namespace oscbo::numeric
