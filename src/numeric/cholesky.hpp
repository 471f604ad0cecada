// Cholesky factorization A = L L^T, built for the sizes of Bayesian optimisation.
//
// One observation carries the whole file: factorizing A by columns maps any row b stored below A
// to b L^{-T}. So
//
//   - a right-hand side y stored as one more row becomes z^T = (L^{-1} y)^T during factorization,
//   - cross-covariances k(x*, X) stored as rows become (L^{-1} k)^T (`solve_rows`),
//   - the rows of the identity become U = L^{-T} (`inverse_transposed`),
//
// and, up to 256 points, all of them run through one register-tiled kernel. Large matrices are
// worked off in blocks of columns, and shared among threads (numeric/parallel.hpp); the result is
// the same to the last bit for any number of them.
#pragma once

#include <array>

#include "numeric/padded_matrix.hpp"

namespace oscbo::numeric {

/// What it took to factorize: the jitter that had to be added to the diagonal, 0 when none.
struct FactorOutcome {
  bool ok = false;
  double jitter = 0.0;
};

class Cholesky {
 public:
  /// storage is filled by the caller before `factorize`: rows 0..n-1 hold A (lower triangle,
  /// including the rest of each diagonal tile), the rows below hold right-hand sides.
  PaddedMatrix& storage() { return L_; }

  /// reserve makes later factorizations up to size n, with two rows below, free of allocation as
  /// long as tiles do all of the work, up to 256 points. It discards what the storage holds.
  void reserve(Index n);

  /// factorize replaces A by L and every row b below it by b L^{-T}. Returns false when A is not
  /// numerically positive definite; the storage is then unspecified.
  [[nodiscard]] bool factorize(Index n);

  /// append extends the factor by one row and column of A: `solved_row` is L^{-1} a for the column
  /// a above the new diagonal entry `diagonal`. Returns false, and changes nothing, when the
  /// extended matrix is not numerically positive definite.
  [[nodiscard]] bool append(const double* solved_row, double diagonal);

  /// truncate makes it the factor of the first n rows and columns, and drops the rows below.
  void truncate(Index n);

  /// solve_rows replaces each row b of B (m x n) by b L^{-T}.
  void solve_rows(PaddedMatrix& B) const;

  /// inverse_transposed writes U = L^{-T}, upper triangular; entries below the diagonal that share
  /// a tile with it are exact zeros, the rest is unspecified.
  void inverse_transposed(PaddedMatrix& U) const;

  [[nodiscard]] Index size() const { return n_; }
  [[nodiscard]] const PaddedMatrix& L() const { return L_; }

  /// inverse_diagonal()[j] = 1 / L_jj.
  [[nodiscard]] const Vector& inverse_diagonal() const { return inverse_diagonal_; }

 private:
  [[nodiscard]] bool factorize_diagonal_block(Index first, Index end);

  PaddedMatrix L_;
  Vector inverse_diagonal_;
  Index n_ = 0;
};

/// The jitters tried in turn when a factorization fails, in units of the largest diagonal entry.
inline constexpr std::array<double, 6> kJitterLadder{0.0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4};

/// factorize_with_jitter calls fill(storage), which writes A, and factorizes A + jitter I, climbing
/// the ladder until it succeeds.
template <class Fill>
FactorOutcome factorize_with_jitter(Cholesky& cholesky, Index n, Fill&& fill) {
  FactorOutcome outcome;
  for (const double step : kJitterLadder) {
    PaddedMatrix& A = cholesky.storage();
    fill(A);
    double largest = 0.0;
    for (Index j = 0; j < n; ++j) largest = std::max(largest, A(j, j));
    outcome.jitter = step * largest;
    for (Index j = 0; j < n; ++j) A(j, j) += outcome.jitter;
    outcome.ok = cholesky.factorize(n);
    if (outcome.ok) break;
  }
  return outcome;
}

/// contract_sandwich returns sum_{i >= j} M_ij W_ij over the lower triangle, where M = U R^T with U
/// and R as of `inverse_transposed` (n columns), without storing M. W must be zero above the
/// diagonal inside diagonal tiles. When `product` is given, M_ij W_ij is stored there.
double contract_sandwich(const PaddedMatrix& U, const PaddedMatrix& R, Index n,
                         const PaddedMatrix& W, PaddedMatrix* product = nullptr);

}  // namespace oscbo::numeric
