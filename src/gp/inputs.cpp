#include "gp/inputs.hpp"

#include <cmath>

namespace oscbo::gp {

using numeric::kLanes;
using numeric::Packet;
using numeric::packet_at;
using numeric::round_down_to_lanes;
using numeric::round_up_to_lanes;

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

std::vector<double> Inputs::point(Index i) const {
  std::vector<double> x(static_cast<std::size_t>(dimension_));
  for (Index k = 0; k < dimension_; ++k) x[static_cast<std::size_t>(k)] = X_(i, k);
  return x;
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
