// Products with the upper triangular U = L^{-T} of a factorization (numeric/cholesky.hpp). Entries
// of U below the diagonal that share a tile with it are zeros, the others are never read.
#pragma once

#include "numeric/padded_matrix.hpp"

namespace oscbo::numeric {

/// upper_transposed_times computes v = U^T k; k and v are padded.
void upper_transposed_times(const PaddedMatrix& U, Index n, const double* k, double* v);

/// upper_times computes w = U v; v and w are padded.
void upper_times(const PaddedMatrix& U, Index n, const Vector& v, Vector& w);

/// upper_sandwich computes V = U^T K and W = U V = A^{-1} K, column by column of K the same to the
/// last bit as the two functions above up to 256 points. One pass over U does it for all columns of
/// K together: beyond the caches that is what the time goes to. Threads share large ones; the
/// result does not depend on their number. V and W get the size of K.
void upper_sandwich(const PaddedMatrix& U, Index n, const PaddedMatrix& K, PaddedMatrix& V,
                    PaddedMatrix& W);

}  // namespace oscbo::numeric
