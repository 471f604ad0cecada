// Products with the upper triangular U = L^{-T} of a factorization A = L L^T
// (numeric/cholesky.hpp). U is handled in tiles of kLanes rows and columns. In the tiles on the
// diagonal, the entries below the diagonal must be zero. The other entries below the diagonal are
// never read.
#pragma once

#include "numeric/padded_matrix.hpp"

namespace oscbo::numeric {

/// upper_transposed_times computes v = U^T k; k and v are padded.
void upper_transposed_times(const PaddedMatrix& U, Index n, const double* k, double* v);

/// upper_times computes w = U v; v and w are padded.
void upper_times(const PaddedMatrix& U, Index n, const Vector& v, Vector& w);

/// inverse_times computes V = U^T K and W = U V = A^{-1} K. Up to 256 points, each column is bit
/// for bit the same as with upper_transposed_times and upper_times. One pass over U serves all
/// columns of K, because reading U takes most of the time once it exceeds the caches. Threads share
/// large products, and the result does not depend on their number. V and W are resized to the size
/// of K.
void inverse_times(const PaddedMatrix& U, Index n, const PaddedMatrix& K, PaddedMatrix& V,
                   PaddedMatrix& W);

}  // namespace oscbo::numeric
