#include "in_context/functions.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include "in_context/packet.hpp"

namespace oscbo::in_context {
namespace {

constexpr double kNormFloor = 1e-5;  // added to the variance

/// Returns erf(x) with an absolute error below 1e-7, as x P(x^2) / Q(x^2). The rational function
/// interpolates erf(sqrt(t)) / sqrt(t) at 12 Chebyshev points of [0, 15.4].
Chunk<float> erf_of(const Chunk<float>& at) {
  constexpr float kEnd = 3.92428337F;  // sqrt(15.4); 1 - erf is 3e-8 there
  const Chunk<float> x = at.min(kEnd).max(-kEnd);
  const Chunk<float> t = x * x;
  Chunk<float> p = t * -1.49496067773e-8F + 5.04423831391e-6F;
  p = p * t + 3.91743670808e-4F;
  p = p * t + 3.82781184959e-3F;
  p = p * t + 5.44245281356e-2F;
  p = p * t + 1.83700102813e-1F;
  p = p * t + 1.12837918841F;
  Chunk<float> q = t * 6.65120972577e-5F + 1.31940190706e-3F;
  q = q * t + 1.54613533444e-2F;
  q = q * t + 1.13608709326e-1F;
  q = q * t + 4.96133694089e-1F;
  q = q * t + 1.0F;
  return x * p / q;
}

Chunk<double> erf_of(const Chunk<double>& x) {
  return x.unaryExpr([](double entry) { return std::erf(entry); });
}

/// Returns the standard normal distribution function.
template <class Scalar>
Chunk<Scalar> distribution(const Chunk<Scalar>& x) {
  constexpr auto kRoot = static_cast<Scalar>(1.0 / std::numbers::sqrt2);
  return Scalar(0.5) * (Scalar(1) + erf_of(Chunk<Scalar>(x * kRoot)));
}

/// Calls function(chunk, first column) for the whole chunks of a row.
template <class Row, class Function>
void for_each_chunk(Row* row, Index count, const Function& function) {
  using Scalar = std::remove_const_t<Row>;
  using Array = std::conditional_t<std::is_const_v<Row>, const Chunk<Scalar>, Chunk<Scalar>>;
  for (Index j = 0; j < count; j += kChunk) {
    Eigen::Map<Array, Eigen::Aligned64> chunk(row + j);
    function(chunk, j);
  }
}

/// Replaces the entries of a chunk from column `columns` on; the chunk starts at column `first`.
template <class Array, class Scalar>
void fill_behind(Array& chunk, Index first, Index columns, Scalar value) {
  for (Index i = std::max<Index>(0, columns - first); i < kChunk; ++i) chunk[i] = value;
}

/// Returns the sum of the entries of a row.
template <class Scalar>
Scalar sum_of(const Scalar* x, Index count) {
  return sum_over<Scalar>(count, [x](Packet<Scalar>& sum, Index i, Index entries) {
    Packet<Scalar> part;
    if (entries == kWidth<Scalar>) {
      load(part, x + i);
    } else {
      load_some(part, x + i, entries);
    }
    sum += part;
  });
}

}  // namespace

template <class Scalar>
void apply_gelu(Rows<Scalar>& x) {
  for (Index i = 0; i < x.chunks(); ++i) {
    const Chunk<Scalar> chunk = x.chunk(i);
    x.chunk(i) = chunk * distribution<Scalar>(chunk);
  }
}

template <class Scalar>
void scale_by_gelu_slope(const Rows<Scalar>& x, Rows<Scalar>& adjoint) {
  constexpr auto kDensityAtZero = static_cast<Scalar>(0.3989422804014326779);
  for (Index i = 0; i < x.chunks(); ++i) {
    const Chunk<Scalar> chunk = x.chunk(i);
    const Chunk<Scalar> density = kDensityAtZero * (Scalar(-0.5) * chunk * chunk).exp();
    adjoint.chunk(i) *= distribution<Scalar>(chunk) + chunk * density;
  }
}

template <class Scalar>
void apply_tanh(Rows<Scalar>& x) {
  for (Index i = 0; i < x.chunks(); ++i) {
    const Chunk<Scalar> chunk = x.chunk(i);
    x.chunk(i) = chunk.tanh();
  }
}

template <class Scalar>
void apply_softmax(Rows<Scalar>& x, Index first, Index count, Index columns) {
  constexpr Scalar kLowest = std::numeric_limits<Scalar>::lowest();
  for (Index i = first; i < first + count; ++i) {
    Scalar* const row = x.row(i);
    Chunk<Scalar> largest = Chunk<Scalar>::Constant(kLowest);
    for_each_chunk(row, x.columns(), [&](auto& chunk, Index j) {
      if (j + kChunk > columns) fill_behind(chunk, j, columns, kLowest);
      largest = largest.max(chunk);
    });
    const Scalar top = largest.maxCoeff();
    Chunk<Scalar> sums = Chunk<Scalar>::Zero();
    for_each_chunk(row, x.columns(), [&](auto& chunk, Index j) {
      chunk = (chunk - top).exp();
      if (j + kChunk > columns) fill_behind(chunk, j, columns, Scalar(0));
      sums += chunk;
    });
    const Scalar scale = Scalar(1) / sums.sum();
    for_each_chunk(row, x.columns(), [&](auto& chunk, Index /*j*/) { chunk *= scale; });
  }
}

template <class Scalar>
void softmax_adjoint(const Scalar* shares, Index columns, Scalar* adjoint) {
  const Scalar mean = dot(shares, static_cast<const Scalar*>(adjoint), columns);
  for (Index j = 0; j < columns; ++j) adjoint[j] = shares[j] * (adjoint[j] - mean);
}

template <class Scalar>
void apply_norm(const Norm<Scalar>& norm, const Rows<Scalar>& x, NormPass<Scalar>& pass,
                Rows<Scalar>& y) {
  const Index width = x.columns();
  const Scalar share = Scalar(1) / static_cast<Scalar>(width);
  pass.normal.resize(x.rows(), width);
  pass.inverse_sd.resize(x.rows(), 1);
  y.resize(x.rows(), width);
  for (Index i = 0; i < x.rows(); ++i) {
    const Scalar mean = share * sum_of(x.row(i), width);
    Scalar* const normal = pass.normal.row(i);
    for (Index j = 0; j < width; ++j) normal[j] = x(i, j) - mean;
    const Scalar variance =
        share * dot(static_cast<const Scalar*>(normal), static_cast<const Scalar*>(normal), width);
    const Scalar scale = Scalar(1) / std::sqrt(variance + static_cast<Scalar>(kNormFloor));
    pass.inverse_sd(i, 0) = scale;
    for (Index j = 0; j < width; ++j) normal[j] *= scale;
    for (Index j = 0; j < width; ++j) y(i, j) = normal[j] * norm.gain[j];
    if (norm.offset.size() > 0) {
      for (Index j = 0; j < width; ++j) y(i, j) += norm.offset[j];
    }
  }
}

// With z = (x - mean) / sd and b = gain * adjoint of y, the adjoint of x is
//   (b - mean(b) - z mean(b z)) / sd.
template <class Scalar>
void norm_adjoint(const Norm<Scalar>& norm, const NormPass<Scalar>& pass,
                  const Rows<Scalar>& y_adjoint, Rows<Scalar>& x_adjoint) {
  const Index width = y_adjoint.columns();
  const Scalar share = Scalar(1) / static_cast<Scalar>(width);
  Rows<Scalar> b(1, width);
  for (Index i = 0; i < y_adjoint.rows(); ++i) {
    const Scalar* const z = pass.normal.row(i);
    for (Index j = 0; j < width; ++j) b(0, j) = norm.gain[j] * y_adjoint(i, j);
    const Scalar mean = share * sum_of(static_cast<const Scalar*>(b.data()), width);
    const Scalar slope = share * dot(static_cast<const Scalar*>(b.data()), z, width);
    const Scalar scale = pass.inverse_sd(i, 0);
    for (Index j = 0; j < width; ++j) {
      x_adjoint(i, j) += scale * (b(0, j) - mean - z[j] * slope);
    }
  }
}

#define OSCBO_INSTANTIATE(Scalar)                                                               \
  template void apply_gelu(Rows<Scalar>&);                                                      \
  template void scale_by_gelu_slope(const Rows<Scalar>&, Rows<Scalar>&);                        \
  template void apply_tanh(Rows<Scalar>&);                                                      \
  template void apply_softmax(Rows<Scalar>&, Index, Index, Index);                              \
  template void apply_norm(const Norm<Scalar>&, const Rows<Scalar>&, NormPass<Scalar>&,         \
                           Rows<Scalar>&);                                                      \
  template void norm_adjoint(const Norm<Scalar>&, const NormPass<Scalar>&, const Rows<Scalar>&, \
                             Rows<Scalar>&)
OSCBO_INSTANTIATE(float);
OSCBO_INSTANTIATE(double);
template void softmax_adjoint(const float*, Index, float*);
template void softmax_adjoint(const double*, Index, double*);
#undef OSCBO_INSTANTIATE

}  // namespace oscbo::in_context
