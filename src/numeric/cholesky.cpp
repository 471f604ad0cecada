#include "numeric/cholesky.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "numeric/parallel.hpp"

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

/// tile[c] += Sign * sum_{k = begin}^{end-1} left[:, k] * right[c, k]. This kernel takes most of
/// the time. `left` points at the tile's first row, and `right` at the row of its first column. A
/// panel that the last column cuts short still reads kPanel rows of `right`; the padding provides
/// them. Even and odd terms are summed separately, so that enough independent operations are in
/// flight.
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

/// A tile of the identity matrix whose first column is `shift` to the right of its first row.
inline Tile identity(Index shift) {
  Tile tile;
  for (Index c = 0; c < kPanel; ++c) {
    if (shift + c < kLanes) tile[c][shift + c] = 1.0;
  }
  return tile;
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

// A matrix of up to kSmall columns fits in the second-level cache, and tiles do all of the work. A
// larger matrix is processed in blocks of kBlock columns. The contribution of whole blocks to
// another block is a matrix product, which Eigen arranges for the caches; tiles do the rest.
// Threads share the work in pieces that do not depend on the number of threads, so neither does the
// last bit.
constexpr Index kSmall = 256;
constexpr Index kBlock = 128;
constexpr Index kShare = 4 * kBlock;  // rows

Index block_width(Index n) { return n <= kSmall ? std::max<Index>(n, 1) : kBlock; }

using ConstView = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
using View = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

/// A view of rows row .. row_end - 1 and columns column .. column_end - 1 of A.
ConstView part(const PaddedMatrix& A, Index row, Index row_end, Index column, Index column_end) {
  return {A.column(column) + row, row_end - row, column_end - column,
          Eigen::OuterStride<>(A.stride())};
}

View part(PaddedMatrix& A, Index row, Index row_end, Index column, Index column_end) {
  return {A.column(column) + row, row_end - row, column_end - column,
          Eigen::OuterStride<>(A.stride())};
}

/// C += sign A B^T. The sum proceeds block by block. The block sizes that Eigen would choose depend
/// on the cache size of the processor, and then the last bit would too.
void add_product(View C, double sign, const ConstView& A, const ConstView& B) {
  for (Index k = 0; k < A.cols(); k += kBlock) {
    const Index width = std::min(kBlock, A.cols() - k);
    C.noalias() += sign * A.middleCols(k, width) * B.middleCols(k, width).transpose();
  }
}

/// Splits the rows begin .. end - 1 into shares and calls work(first, end) for each share.
template <class Work>
void share_rows(Index begin, Index end, const Work& work) {
  for_each_share((end - begin + kShare - 1) / kShare, [&](Index share) {
    const Index first = begin + share * kShare;
    work(first, std::min(first + kShare, end));
  });
}

/// A block of L: its columns first .. end - 1.
struct FactorBlock {
  const PaddedMatrix& L;
  const Vector& inverse_diagonal;
  Index first;
  Index end;

  /// Replaces the block's columns in rows row .. row_end - 1 of B by those of B L^{-T}. Requires
  /// that the columns before `first` have been replaced already.
  void solve(PaddedMatrix& B, Index row, Index row_end) const {
    add_product(part(B, row, row_end, first, end), -1.0,
                part(std::as_const(B), row, row_end, 0, first), part(L, first, end, 0, first));
    for (Index J = first; J < end; J += kPanel) {
      const Index width = panel_width(end, J);
      for (Index I = row; I < row_end; I += kLanes) {
        Tile tile = load(B.column(J) + I, B.stride(), width);
        accumulate<-1>(tile, B.column(0) + I, B.stride(), L.column(0) + J, L.stride(), first, J);
        solve_tile(tile, L.column(J) + J, L.stride(), inverse_diagonal.data() + J, width);
        store(tile, B.column(J) + I, B.stride(), width);
      }
    }
  }
};

/// Tells whether a pivot is larger than rounding error. The backward error of the factorization is
/// about n eps |A|.
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
  // inverse_diagonal_ holds the diagonal of A until the pivot is known.
  for (Index j = 0; j < n; ++j) inverse_diagonal_[j] = L_(j, j);
  for (Index first = 0; first < n; first += block_width(n)) {
    const Index end = std::min(first + block_width(n), n);
    if (!factorize_diagonal_block(first, end)) return false;
    share_rows(round_up_to_lanes(end), L_.padded_rows(), [&](Index row, Index row_end) {
      FactorBlock{L_, inverse_diagonal_, first, end}.solve(L_, row, row_end);
    });
  }
  return true;
}

/// Factorizes the rows first .. end - 1, and the rows that share a tile with the last of them.
bool Cholesky::factorize_diagonal_block(Index first, Index end) {
  const Index stride = L_.stride();
  const Index row_end = round_up_to_lanes(end);
  const PaddedMatrix& L = L_;
  add_product(part(L_, first, row_end, first, end), -1.0, part(L, first, row_end, 0, first),
              part(L, first, end, 0, first));
  for (Index J = first; J < end; J += kPanel) {
    const Index width = panel_width(end, J);
    double* panel = L_.column(J);
    const double* right = L_.column(0) + J;
    const Index diagonal_tile = round_down_to_lanes(J);

    for (Index I = diagonal_tile; I < row_end; I += kLanes) {
      Tile tile = load(panel + I, stride, width);
      accumulate<-1>(tile, L_.column(0) + I, stride, right, stride, first, J);

      if (I == diagonal_tile) {
        for (Index c = 0; c < width; ++c) {
          const Index lane = J + c - I;
          const double pivot = tile[c][lane];
          if (!is_positive_pivot(pivot, inverse_diagonal_[J + c], n_)) return false;
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

bool Cholesky::append(const double* solved_row, double diagonal) {
  double explained = 0.0;
  for (Index j = 0; j < n_; ++j) explained += solved_row[j] * solved_row[j];
  const double pivot = diagonal - explained;
  if (!is_positive_pivot(pivot, diagonal, n_ + 1)) return false;

  truncate(n_);  // drops the right-hand sides below the factor
  L_.grow(n_ + 1, n_ + 1);
  for (Index j = 0; j < n_; ++j) L_(n_, j) = solved_row[j];
  L_(n_, n_) = std::sqrt(pivot);
  if (inverse_diagonal_.size() == n_) inverse_diagonal_.conservativeResize(2 * n_ + 1);
  inverse_diagonal_[n_] = 1.0 / L_(n_, n_);
  ++n_;
  return true;
}

void Cholesky::truncate(Index n) {
  L_.truncate(n, n);
  n_ = n;
}

void Cholesky::solve_rows(PaddedMatrix& B) const {
  const auto solve = [&](Index row, Index row_end) {
    for (Index first = 0; first < n_; first += block_width(n_)) {
      const Index end = std::min(first + block_width(n_), n_);
      FactorBlock{L_, inverse_diagonal_, first, end}.solve(B, row, row_end);
    }
  };
  if (n_ <= kSmall) return solve(0, B.padded_rows());
  share_rows(0, B.padded_rows(), solve);
}

// Row i of U starts at column i, so columns before a tile's first row contribute nothing to the
// tile. The rows are independent of each other.
void Cholesky::inverse_transposed(PaddedMatrix& U) const {
  U.resize(n_, n_);
  const Index width = block_width(n_);
  for_each_share((n_ + width - 1) / width, [&](Index share) {
    const Index row = share * width;
    const Index row_end = std::min(row + width, n_);
    for (Index first = row; first < n_; first += width) {
      const Index end = std::min(first + width, n_);
      const bool follows_whole_blocks = first > row_end;
      if (follows_whole_blocks) {
        part(U, row, row_end, first, end).setZero();
        add_product(part(U, row, row_end, first, end), -1.0,
                    part(std::as_const(U), row, row_end, row_end, first),
                    part(L_, first, end, row_end, first));
      }
      for (Index J = first; J < end; J += kPanel) {
        const Index panel = panel_width(end, J);
        for (Index I = row; I < std::min(row_end, J + 1); I += kLanes) {
          Tile tile =
              follows_whole_blocks ? load(U.column(J) + I, U.stride(), panel) : identity(J - I);
          const auto add = [&](Index begin, Index stop) {
            accumulate<-1>(tile, U.column(0) + I, U.stride(), L_.column(0) + J, L_.stride(), begin,
                           stop);
          };
          add(I, std::min(row_end, J));
          if (first > row) add(first, J);
          solve_tile(tile, L_.column(J) + J, L_.stride(), inverse_diagonal_.data() + J, panel);
          store(tile, U.column(J) + I, U.stride(), panel);
        }
      }
    }
  });
}

namespace {

/// The contribution of rows row .. row_end - 1, which form a block, to contract_sandwich. The terms
/// of later columns are a product of whole blocks.
Packet contract_rows(const PaddedMatrix& U, const PaddedMatrix& R, Index n, const PaddedMatrix& W,
                     PaddedMatrix* product, Index row, Index row_end) {
  Packet total{};
  const bool has_later_columns = row_end < n;
  PaddedMatrix later;
  if (has_later_columns) later.resize(kBlock, kBlock);
  for (Index first = 0; first < row_end; first += block_width(n)) {
    const Index end = std::min(first + block_width(n), n);
    if (has_later_columns) {
      later.set_zero();
      add_product(part(later, 0, kBlock, 0, kBlock), 1.0, part(U, row, row_end, row_end, n),
                  part(R, first, end, row_end, n));
    }
    for (Index J = first; J < end; J += kPanel) {
      const Index width = panel_width(end, J);
      const Index top = std::max(row, round_down_to_lanes(J));
      for (Index I = top; I < round_up_to_lanes(row_end); I += kLanes) {
        Tile tile = has_later_columns
                        ? load(later.column(J - first) + I - row, later.stride(), width)
                        : Tile();
        accumulate<+1>(tile, U.column(0) + I, U.stride(), R.column(0) + J, R.stride(), I, row_end);
        for (Index c = 0; c < width; ++c) {
          const Packet weighted = tile[c] * packet_at(W.column(J + c) + I);
          total += weighted;
          if (product != nullptr) packet_at(product->column(J + c) + I) = weighted;
        }
      }
    }
  }
  return total;
}

}  // namespace

double contract_sandwich(const PaddedMatrix& U, const PaddedMatrix& R, Index n,
                         const PaddedMatrix& W, PaddedMatrix* product) {
  if (n <= kSmall) return sum_of_lanes(contract_rows(U, R, n, W, product, 0, n));
  std::vector<Packet> totals(static_cast<std::size_t>((n + kBlock - 1) / kBlock));
  for_each_share(static_cast<Index>(totals.size()), [&](Index share) {
    const Index row = share * kBlock;
    totals[static_cast<std::size_t>(share)] =
        contract_rows(U, R, n, W, product, row, std::min(row + kBlock, n));
  });
  Packet sum{};
  for (const Packet& total : totals) sum += total;
  return sum_of_lanes(sum);
}

}  // namespace oscbo::numeric
