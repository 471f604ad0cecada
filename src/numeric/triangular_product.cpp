#include "numeric/triangular_product.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "numeric/parallel.hpp"

namespace oscbo::numeric {
namespace {

constexpr Index kSharedColumns = 256;  // columns of U that one thread takes at a time

/// v_p,j = u_j^T k_p, then w_p += u_j v_p,j while the columns are still in the first-level cache.
/// This is done for `Columns` columns u_j of U, starting at j and lying in one tile, and `Points`
/// columns k_p of K, starting at p.
template <Index Columns, Index Points>
void multiply_block(const PaddedMatrix& U, Index j, const PaddedMatrix& K, Index p, PaddedMatrix& V,
                    PaddedMatrix& W) {
  const auto entry = [](Index c, Index q) { return static_cast<std::size_t>(c * Points + q); };
  std::array<Packet, static_cast<std::size_t>(Columns * Points)> sums{};
  for (Index i = 0; i <= j; i += kLanes) {
    for (Index c = 0; c < Columns; ++c) {
      const Packet u = packet_at(U.column(j + c) + i);
      for (Index q = 0; q < Points; ++q) sums[entry(c, q)] += u * packet_at(K.column(p + q) + i);
    }
  }
  std::array<double, static_cast<std::size_t>(Columns * Points)> v{};
  for (Index c = 0; c < Columns; ++c) {
    for (Index q = 0; q < Points; ++q) {
      v[entry(c, q)] = sum_of_lanes(sums[entry(c, q)]);
      V(j + c, p + q) = v[entry(c, q)];
    }
  }
  for (Index i = 0; i <= j; i += kLanes) {
    for (Index q = 0; q < Points; ++q) {
      Packet w = packet_at(W.column(p + q) + i);
      for (Index c = 0; c < Columns; ++c) w += packet_at(U.column(j + c) + i) * v[entry(c, q)];
      packet_at(W.column(p + q) + i) = w;
    }
  }
}

template <Index Columns>
void multiply_columns(const PaddedMatrix& U, Index j, const PaddedMatrix& K, PaddedMatrix& V,
                      PaddedMatrix& W) {
  Index p = 0;
  for (; p + 4 <= K.columns(); p += 4) multiply_block<Columns, 4>(U, j, K, p, V, W);
  switch (K.columns() - p) {
    case 3: return multiply_block<Columns, 3>(U, j, K, p, V, W);
    case 2: return multiply_block<Columns, 2>(U, j, K, p, V, W);
    case 1: return multiply_block<Columns, 1>(U, j, K, p, V, W);
    default: return;
  }
}

/// Adds the contribution of columns begin .. end - 1 of U.
void multiply_share(const PaddedMatrix& U, Index begin, Index end, const PaddedMatrix& K,
                    PaddedMatrix& V, PaddedMatrix& W) {
  constexpr Index kTogether = 4;
  static_assert(kLanes % kTogether == 0 && kSharedColumns % kTogether == 0,
                "a block lies in one tile");
  Index j = begin;
  for (; j + kTogether <= end; j += kTogether) multiply_columns<kTogether>(U, j, K, V, W);
  for (; j < end; ++j) multiply_columns<1>(U, j, K, V, W);
}

}  // namespace

void upper_transposed_times(const PaddedMatrix& U, Index n, const double* k, double* v) {
  for (Index j = 0; j < n; ++j) {
    const double* column = U.column(j);
    Packet sum{};
    for (Index i = 0; i <= j; i += kLanes) sum += packet_at(column + i) * packet_at(k + i);
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

// A share is a range of columns of U. Each share has its own sum, and the sums are added in a fixed
// order. The last share has the longest columns, so it is processed first.
void inverse_times(const PaddedMatrix& U, Index n, const PaddedMatrix& K, PaddedMatrix& V,
                   PaddedMatrix& W) {
  V.resize(n, K.columns());
  W.resize(n, K.columns());
  V.set_zero();
  W.set_zero();
  const Index shares = (n + kSharedColumns - 1) / kSharedColumns;
  if (shares <= 1) return multiply_share(U, 0, n, K, V, W);

  constexpr Index kWorthAThread = 4'000'000;  // multiplications: a quarter of a millisecond
  const ThreadLimit limit(n * n * K.columns() < kWorthAThread ? 1 : 0);
  std::vector<PaddedMatrix> sums(static_cast<std::size_t>(shares));
  for_each_share(shares, [&](Index taken) {
    const Index share = shares - 1 - taken;
    const Index end = std::min((share + 1) * kSharedColumns, n);
    PaddedMatrix& sum = sums[static_cast<std::size_t>(share)];
    sum.resize(end, K.columns());
    sum.set_zero();
    multiply_share(U, share * kSharedColumns, end, K, V, sum);
  });
  for (const PaddedMatrix& sum : sums) {
    for (Index p = 0; p < K.columns(); ++p) {
      for (Index i = 0; i < sum.padded_rows(); i += kLanes) {
        packet_at(W.column(p) + i) += packet_at(sum.column(p) + i);
      }
    }
  }
}

}  // namespace oscbo::numeric
