// Layer norms, softmax and the elementwise functions of the network, with their derivatives. Scalar
// is float or double. The result for an entry does not depend on where the entry is in memory.
#pragma once

#include "in_context/rows.hpp"

namespace oscbo::in_context {

/// apply_gelu replaces each x by x Phi(x), where Phi is the standard normal distribution
/// function.
template <class Scalar>
void apply_gelu(Rows<Scalar>& x);

/// scale_by_gelu_slope multiplies each entry of `adjoint` by Phi(x) + x phi(x), where phi is
/// the standard normal density.
template <class Scalar>
void scale_by_gelu_slope(const Rows<Scalar>& x, Rows<Scalar>& adjoint);

template <class Scalar>
void apply_tanh(Rows<Scalar>& x);

/// apply_softmax changes `count` rows, from row `first` on. It replaces the first `columns` entries
/// x_j of each row by exp(x_j) / sum_i exp(x_i), and the other entries by zero. The rows of `x`
/// must consist of whole chunks (rows.hpp).
template <class Scalar>
void apply_softmax(Rows<Scalar>& x, Index first, Index count, Index columns);

/// softmax_adjoint takes a row of shares s_j, the results of a softmax. On entry, `adjoint` holds
/// the adjoints a_j of the shares. On return, it holds the adjoints of the softmax's inputs:
/// s_j (a_j - sum_i s_i a_i).
template <class Scalar>
void softmax_adjoint(const Scalar* shares, Index columns, Scalar* adjoint);

/// The gain and offset of a layer norm. Without offset, `offset` is empty.
template <class Scalar>
struct Norm {
  using Array = typename Rows<Scalar>::Array;
  Array gain;
  Array offset;
};

/// The values that the derivative of a layer norm needs.
template <class Scalar>
struct NormPass {
  Rows<Scalar> normal;      // (x - mean) / sd
  Rows<Scalar> inverse_sd;  // one column
};

/// apply_norm computes y = gain (x - mean) / sqrt(variance + 1e-5) + offset for each row.
template <class Scalar>
void apply_norm(const Norm<Scalar>& norm, const Rows<Scalar>& x, NormPass<Scalar>& pass,
                Rows<Scalar>& y);

/// norm_adjoint adds the adjoint of x to `x_adjoint`, given the adjoint of y.
template <class Scalar>
void norm_adjoint(const Norm<Scalar>& norm, const NormPass<Scalar>& pass,
                  const Rows<Scalar>& y_adjoint, Rows<Scalar>& x_adjoint);

}  // namespace oscbo::in_context
