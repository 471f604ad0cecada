#include "gp/inputs.hpp"

#include <cmath>

#include "gp/radial_profile.hpp"

namespace oscbo::gp {

Inputs::Inputs(Index dimension, Index capacity) : dimension_(dimension) {
  reserve(std::max(capacity, kLanes));
}

void Inputs::reserve(Index capacity) {
  X_.grow(capacity, dimension_);
  const Index stored = std::min(capacity, kMostStored);
  if (stores_distances()) distances_.grow(stored, stored);
}

void Inputs::append(std::span<const double> x) {
  if (n_ == X_.rows()) reserve(2 * n_);
  if (n_ < kMostStored) append_distances(x);
  for (Index k = 0; k < dimension_; ++k) X_(n_, k) = x[static_cast<std::size_t>(k)];
  ++n_;
  if (!stores_distances()) distances_ = PaddedMatrix();
}

void Inputs::append_distances(std::span<const double> x) {
  for (Index j = 0; j < n_; ++j) {
    double squares = 0.0;
    for (Index k = 0; k < dimension_; ++k) {
      const double difference = x[static_cast<std::size_t>(k)] - X_(j, k);
      squares += difference * difference;
    }
    distances_(n_, j) = std::sqrt(squares);
  }
}

double Inputs::distance(Index i, Index j) const {
  if (stores_distances()) return distances_(i, j);
  double sum = 0.0;
  for (Index k = 0; k < dimension_; ++k) sum += std::pow(X_(i, k) - X_(j, k), 2);
  return std::sqrt(sum);
}

Packet Inputs::squares(Index i, Index j) const {
  Packet sum{};
  for (Index k = 0; k < dimension_; ++k) {
    const Packet difference = packet_at(X_.column(k) + i) - X_(j, k);
    sum += difference * difference;
  }
  return sum;
}

void Inputs::copy_distances(Index j, double scale, double* distances) const {
  const Index begin = round_down_to_lanes(j);
  const Index end = round_up_to_lanes(n_);
  if (stores_distances()) {
    for (Index i = begin; i < end; i += kLanes) {
      packet_at(distances + i) = packet_at(distances_.column(j) + i) * scale;
    }
    return;
  }
  for (Index i = begin; i < end; i += kLanes) {
    packet_at(distances + i) = squares(i, j) * (scale * scale);
  }
  take_roots(distances + begin, end - begin);
}

std::vector<double> Inputs::point(Index i) const {
  std::vector<double> x(static_cast<std::size_t>(dimension_));
  for (Index k = 0; k < dimension_; ++k) x[static_cast<std::size_t>(k)] = X_(i, k);
  return x;
}

void Inputs::multiply_by_squares(PaddedMatrix& W) const {
  const auto multiply = [&](auto&& square) {
    for (Index j = 0; j < n_; ++j) {
      for (Index i = round_down_to_lanes(j); i < round_up_to_lanes(n_); i += kLanes) {
        packet_at(W.column(j) + i) *= square(i, j);
      }
    }
  };
  if (!stores_distances()) return multiply([this](Index i, Index j) { return squares(i, j); });
  multiply([this](Index i, Index j) {
    const Packet distance = packet_at(distances_.column(j) + i);
    return distance * distance;
  });
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
