#include "gp/mixed_kernel.hpp"

#include <algorithm>

namespace oscbo::gp {

namespace {

/// Returns the block of rows begin .. end - 1 of `points`, with row `row` of `others` as its
/// centre. Requires multiples of kLanes.
PointBlock rows_against(const PaddedMatrix& points, Index begin, Index end,
                        const PaddedMatrix& others, Index row) {
  return {.points = points.column(0) + begin,
          .stride = points.stride(),
          .count = end - begin,
          .centre = others.column(0) + row,
          .centre_stride = others.stride()};
}

/// Returns the block of points on and below the diagonal of column j.
PointBlock column_of(const Inputs& inputs, Index j) {
  return rows_against(inputs.X(), round_down_to_lanes(j), round_up_to_lanes(inputs.size()),
                      inputs.X(), j);
}

}  // namespace

void MixedKernel::matrix(const Inputs& inputs, const Vector& theta, PaddedMatrix& K) const {
  for (Index j = 0; j < inputs.size(); ++j) {
    part(theta).evaluate(column_of(inputs, j), K.column(j) + round_down_to_lanes(j), nullptr);
  }
}

// The sums run over the lower triangle and are doubled to include the upper one.
void MixedKernel::theta_gradient(const Inputs& inputs, const Vector& theta, KernelSlopes& slopes,
                                 const Contraction& contract, Vector& gradient) const {
  const PaddedMatrix& M = slopes.weights(inputs.size(), contract);
  PaddedMatrix column(inputs.size(), 2);  // k and its slope
  gradient.head(theta.size()).setZero();
  for (Index j = 0; j < inputs.size(); ++j) {
    const PointBlock block = column_of(inputs, j);
    part(theta).evaluate(block, column.column(0), column.column(1));
    part(theta).add_theta_gradient(block, M.column(j) + round_down_to_lanes(j), column.column(0),
                                   column.column(1), gradient);
  }
  gradient.head(theta.size()).array() *= 2.0 / theta.array().cube();
}

void MixedKernel::encode(const Inputs& inputs, const Vector& /*theta*/,
                         PaddedMatrix& encoded) const {
  encoded.resize(inputs.size(), inputs.dimension());
  for (Index k = 0; k < inputs.dimension(); ++k) {
    std::copy_n(inputs.X().column(k), encoded.padded_rows(), encoded.column(k));
  }
}

void MixedKernel::append_encoded(std::span<const double> x, const Vector& /*theta*/,
                                 PaddedMatrix& encoded) const {
  const Index row = encoded.rows();
  encoded.grow(row + 1, static_cast<Index>(x.size()));
  for (std::size_t k = 0; k < x.size(); ++k) encoded(row, static_cast<Index>(k)) = x[k];
}

void MixedKernel::covariances(const PaddedMatrix& encoded, std::span<const double> x,
                              const Vector& theta, double* k, PaddedMatrix* slopes) const {
  part(theta).evaluate({.points = encoded.column(0),
                        .stride = encoded.stride(),
                        .count = encoded.padded_rows(),
                        .centre = x.data(),
                        .centre_stride = 1},
                       k, slopes != nullptr ? slopes->column(0) : nullptr);
}

// For a column k of a numeric parameter p, dk_i/dx_k = -slope_i (x_k - x_ik) / l_p^2.
void MixedKernel::pull_back(const PaddedMatrix& encoded, std::span<const double> x,
                            const Vector& theta, const PaddedMatrix& slopes,
                            const WeightedGradients& gradients) const {
  gradients.set_zero();
  for (Index p = 0; p < layout_.parameters(); ++p) {
    if (layout_[p].is_categorical) continue;
    const double factor = 1.0 / (part(theta).lengthscale(p) * part(theta).lengthscale(p));
    for (Index k = layout_[p].first; k < layout_[p].end(); ++k) {
      const auto entry = static_cast<std::size_t>(k);
      const auto change = [&](Index i) {
        return packet_at(slopes.column(0) + i) * (packet_at(encoded.column(k) + i) - x[entry]);
      };
      const Index padded = encoded.padded_rows();
      gradients.first[entry] = factor * weighted_sum(gradients.first_weights, padded, change);
      gradients.second[entry] = factor * weighted_sum(gradients.second_weights, padded, change);
    }
  }
}

// The lanes of a packet are points of the batch.
void MixedKernel::covariances_of_batch(const PaddedMatrix& encoded, const PaddedMatrix& points,
                                       const Vector& theta, PaddedMatrix& V,
                                       Vector& variances) const {
  for (Index j = 0; j < encoded.rows(); ++j) {
    part(theta).evaluate(rows_against(points, 0, V.padded_rows(), encoded, j), V.column(j),
                         nullptr);
  }
  variances.setOnes();
}

}  // namespace oscbo::gp
