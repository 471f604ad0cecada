#include "gp/inputs.hpp"

#include <cmath>

namespace oscbo::gp {

using numeric::kLanes;
using numeric::Packet;
using numeric::packet_at;
using numeric::round_down_to_lanes;
using numeric::round_up_to_lanes;

namespace {

/// sum[rows] += (X[rows, k] - X[j, k])^2 * factor, for one dimension k.
void add_squares(const double* coordinates, double centre, double factor, Index begin, Index end,
                 double* sum) {
  for (Index i = begin; i < end; i += kLanes) {
    const Packet difference = packet_at(coordinates + i) - centre;
    packet_at(sum + i) += difference * difference * factor;
  }
}

}  // namespace

Inputs::Inputs(Index dimension, Index capacity) : dimension_(dimension) {
  reserve(std::max(capacity, kLanes));
}

void Inputs::reserve(Index capacity) {
  X_.grow(capacity, dimension_);
  distances_.grow(capacity, capacity);
}

void Inputs::append(std::span<const double> x) {
  if (n_ == X_.rows()) reserve(2 * n_);
  for (Index j = 0; j < n_; ++j) {
    double squares = 0.0;
    for (Index k = 0; k < dimension_; ++k) {
      const double difference = x[static_cast<std::size_t>(k)] - X_(j, k);
      squares += difference * difference;
    }
    distances_(n_, j) = std::sqrt(squares);
  }
  for (Index k = 0; k < dimension_; ++k) X_(n_, k) = x[static_cast<std::size_t>(k)];
  ++n_;
}

void Inputs::scaled_distances(const Vector& lengthscales, Index column, double* distances) const {
  const Index begin = round_down_to_lanes(column);
  const Index end = round_up_to_lanes(n_);
  if (lengthscales.size() == 1) {
    const double factor = 1.0 / lengthscales[0];
    const double* stored = distances_.column(column);
    for (Index i = begin; i < end; i += kLanes) {
      packet_at(distances + i) = packet_at(stored + i) * factor;
    }
    return;
  }
  std::fill(distances + begin, distances + end, 0.0);
  for (Index k = 0; k < dimension_; ++k) {
    const double factor = 1.0 / (lengthscales[k] * lengthscales[k]);
    add_squares(X_.column(k), X_(column, k), factor, begin, end, distances);
  }
  take_roots(distances + begin, end - begin);
}

void Inputs::kernel_matrix(KernelShape shape, const Vector& lengthscales, PaddedMatrix& K) const {
  for (Index j = 0; j < n_; ++j) {
    const Index begin = round_down_to_lanes(j);
    scaled_distances(lengthscales, j, K.column(j));
    evaluate(shape, K.column(j) + begin, round_up_to_lanes(n_) - begin);
  }
}

void Inputs::kernel_matrix_with_slope(KernelShape shape, const Vector& lengthscales,
                                      PaddedMatrix& K, PaddedMatrix& slope) const {
  for (Index j = 0; j < n_; ++j) {
    const Index begin = round_down_to_lanes(j);
    scaled_distances(lengthscales, j, K.column(j));
    evaluate_with_slope(shape, K.column(j) + begin, slope.column(j) + begin,
                        round_up_to_lanes(n_) - begin);
    std::fill(slope.column(j) + begin, slope.column(j) + j + 1, 0.0);
  }
}

void Inputs::multiply_by_squares(PaddedMatrix& W) const {
  for (Index j = 0; j < n_; ++j) {
    for (Index i = round_down_to_lanes(j); i < round_up_to_lanes(n_); i += kLanes) {
      const Packet distance = packet_at(distances_.column(j) + i);
      packet_at(W.column(j) + i) *= distance * distance;
    }
  }
}

void Inputs::sums_of_squares(const PaddedMatrix& W, Vector& sums) const {
  for (Index k = 0; k < dimension_; ++k) {
    const double* coordinates = X_.column(k);
    Packet sum{};
    for (Index j = 0; j < n_; ++j) {
      for (Index i = round_down_to_lanes(j); i < round_up_to_lanes(n_); i += kLanes) {
        const Packet difference = packet_at(coordinates + i) - coordinates[j];
        sum += packet_at(W.column(j) + i) * difference * difference;
      }
    }
    sums[k] = numeric::sum_of_lanes(sum);
  }
}

}  // namespace oscbo::gp
