// Cholesky factorization A = L L^T, built for the sizes of Bayesian optimisation.
//
// The whole file builds on one fact: factorizing A by columns maps any row b stored below A to b
// L^{-T}. So
//
//   - a right-hand side y stored as one more row becomes z^T = (L^{-1} y)^T during factorization,
//   - cross-covariances k(x*, X) stored as rows become (L^{-1} k)^T (`solve_rows`),
//   - the rows of the identity become U = L^{-T} (`inverse_transposed`),
//
// and, up to 256 points, one register-tiled kernel does all of it. Larger matrices are factorized
// in blocks of columns, whose rows several threads share (numeric/parallel.hpp). The result has the
// same bits for any number of threads. A tile is a square block of kLanes rows and columns.
#pragma once

#include <array>

#include "numeric/padded_matrix.hpp"

namespace oscbo::numeric {

/// The outcome of a factorization. `jitter` is the value added to the diagonal, 0 if none was
/// needed.
struct FactorOutcome {
  bool ok = false;
  double jitter = 0.0;
};

class Cholesky {
 public:
  /// storage returns the matrix that the caller fills before `factorize`. Rows 0..n-1 hold A (the
  /// lower triangle and the rest of each diagonal tile). The rows below hold right-hand sides.
  PaddedMatrix& storage() { return L_; }

  /// reserve allocates storage for factorizations of up to n points with two right-hand sides.
  /// Later factorizations of up to 256 points then allocate nothing, and larger ones only temporary
  /// blocks. The contents of the storage are lost.
  void reserve(Index n);

  /// factorize replaces A by L and every row b below it by b L^{-T}. Returns false if A is not
  /// numerically positive definite. The storage is then unspecified.
  [[nodiscard]] bool factorize(Index n);

  /// append extends the factor by one row and column of A: `solved_row` is L^{-1} a for the column
  /// a above the new diagonal entry `diagonal`. Returns false and changes nothing if the extended
  /// matrix is not numerically positive definite.
  [[nodiscard]] bool append(const double* solved_row, double diagonal);

  /// truncate keeps the factor of the first n rows and columns, and drops the rows below.
  void truncate(Index n);

  /// solve_rows replaces each row b of B (m x n) by b L^{-T}.
  void solve_rows(PaddedMatrix& B) const;

  /// inverse_transposed writes U = L^{-T}, which is upper triangular. Entries below the diagonal
  /// that share a tile with it are exactly zero. All other entries below the diagonal are
  /// unspecified.
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

/// The jitters to try in turn until a factorization succeeds, in units of the largest diagonal
/// entry.
inline constexpr std::array<double, 6> kJitterLadder{0.0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4};

/// factorize_with_jitter calls fill(storage), which writes A, and factorizes A + jitter I. It tries
/// the jitters of the ladder in turn until a factorization succeeds.
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

/// contract_sandwich returns sum_{i >= j} M_ij W_ij over the lower triangle, where M = U R^T,
/// without storing M. U and R have n columns and the layout that `inverse_transposed` writes. W
/// must be zero above the diagonal inside diagonal tiles. If `product` is given, M_ij W_ij is
/// stored there.
double contract_sandwich(const PaddedMatrix& U, const PaddedMatrix& R, Index n,
                         const PaddedMatrix& W, PaddedMatrix* product = nullptr);

}  // namespace oscbo::numeric
