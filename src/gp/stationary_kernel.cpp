#include "gp/stationary_kernel.hpp"

namespace oscbo::gp {

namespace {

double lengthscale(const Vector& theta, Index k) { return theta[theta.size() == 1 ? 0 : k]; }

/// distances[i] = r(x_i, x_column) for the tiles on and below the diagonal.
void scaled_distances(const Inputs& inputs, const Vector& theta, Index column, double* distances) {
  if (theta.size() == 1) return inputs.copy_distances(column, 1.0 / theta[0], distances);
  const Index begin = round_down_to_lanes(column);
  const Index end = round_up_to_lanes(inputs.size());
  std::fill(distances + begin, distances + end, 0.0);
  for (Index k = 0; k < inputs.dimension(); ++k) {
    const double factor = 1.0 / (theta[k] * theta[k]);
    const double* coordinates = inputs.X().column(k);
    for (Index i = begin; i < end; i += kLanes) {
      const Packet difference = packet_at(coordinates + i) - coordinates[column];
      packet_at(distances + i) += difference * difference * factor;
    }
  }
  take_roots(distances + begin, end - begin);
}

}  // namespace

void StationaryKernel::matrix(const Inputs& inputs, const Vector& theta, PaddedMatrix& K) const {
  for (Index j = 0; j < inputs.size(); ++j) {
    const Index begin = round_down_to_lanes(j);
    scaled_distances(inputs, theta, j, K.column(j));
    profile_.evaluate(K.column(j) + begin, nullptr, round_up_to_lanes(inputs.size()) - begin);
  }
}

// In the diagonal tiles, psi is zero on and above the diagonal.
void StationaryKernel::matrix_with_slopes(const Inputs& inputs, const Vector& theta,
                                          PaddedMatrix& K, KernelSlopes& slopes) const {
  PaddedMatrix& psi = slopes.first;
  psi.resize(inputs.size(), inputs.size());
  for (Index j = 0; j < inputs.size(); ++j) {
    const Index begin = round_down_to_lanes(j);
    scaled_distances(inputs, theta, j, K.column(j));
    profile_.evaluate(K.column(j) + begin, psi.column(j) + begin,
                      round_up_to_lanes(inputs.size()) - begin);
    std::fill(psi.column(j) + begin, psi.column(j) + j + 1, 0.0);
  }
}

// dK_ij/dtheta_k = psi(r_ij) (x_ik - x_jk)^2 / theta_k^3. The sums run over the lower triangle and
// are doubled to include the upper one.
void StationaryKernel::theta_gradient(const Inputs& inputs, const Vector& theta,
                                      KernelSlopes& slopes, const Contraction& contract,
                                      Vector& gradient) const {
  if (theta.size() == 1) {
    inputs.multiply_by_squares(slopes.first);
    gradient[0] = contract(slopes.first, nullptr);
  } else {
    slopes.second.resize(inputs.size(), inputs.size());
    contract(slopes.first, &slopes.second);
    inputs.sums_of_squares(slopes.second, gradient);
  }
  for (Index k = 0; k < theta.size(); ++k) {
    gradient[k] = 2.0 * gradient[k] / (theta[k] * theta[k] * theta[k]);
  }
}

void StationaryKernel::encode(const Inputs& inputs, const Vector& theta,
                              PaddedMatrix& encoded) const {
  encoded.resize(inputs.size(), inputs.dimension());
  for (Index k = 0; k < inputs.dimension(); ++k) {
    const double factor = 1.0 / lengthscale(theta, k);
    for (Index i = 0; i < encoded.padded_rows(); i += kLanes) {
      packet_at(encoded.column(k) + i) = packet_at(inputs.X().column(k) + i) * factor;
    }
  }
}

void StationaryKernel::append_encoded(std::span<const double> x, const Vector& theta,
                                      PaddedMatrix& encoded) const {
  const Index row = encoded.rows();
  const auto dimension = static_cast<Index>(x.size());
  encoded.grow(row + 1, dimension);
  for (Index k = 0; k < dimension; ++k) {
    encoded(row, k) = x[static_cast<std::size_t>(k)] / lengthscale(theta, k);
  }
}

void StationaryKernel::covariances(const PaddedMatrix& encoded, std::span<const double> x,
                                   const Vector& theta, double* k, PaddedMatrix* slopes) const {
  const Index padded = encoded.padded_rows();
  std::fill_n(k, padded, 0.0);
  for (Index j = 0; j < encoded.columns(); ++j) {
    const double centre = x[static_cast<std::size_t>(j)] / lengthscale(theta, j);
    const double* coordinates = encoded.column(j);
    for (Index i = 0; i < padded; i += kLanes) {
      const Packet difference = packet_at(coordinates + i) - centre;
      packet_at(k + i) += difference * difference;
    }
  }
  take_roots(k, padded);
  profile_.evaluate(k, slopes != nullptr ? slopes->column(0) : nullptr, padded);
}

// dk_i/dx_k = -psi_i (x_k - x_ik) / theta_k^2.
void StationaryKernel::pull_back(const PaddedMatrix& encoded, std::span<const double> x,
                                 const Vector& theta, const PaddedMatrix& slopes,
                                 const WeightedGradients& gradients) const {
  const double* psi = slopes.column(0);
  for (Index k = 0; k < encoded.columns(); ++k) {
    const auto entry = static_cast<std::size_t>(k);
    const double inverse = 1.0 / lengthscale(theta, k);
    const double centre = x[entry] * inverse;
    const double* coordinates = encoded.column(k);
    Packet first{};
    Packet second{};
    for (Index i = 0; i < encoded.padded_rows(); i += kLanes) {
      const Packet change = packet_at(psi + i) * (packet_at(coordinates + i) - centre);
      first += packet_at(gradients.first_weights + i) * change;
      second += packet_at(gradients.second_weights + i) * change;
    }
    gradients.first[entry] = numeric::sum_of_lanes(first) * inverse;
    gradients.second[entry] = numeric::sum_of_lanes(second) * inverse;
  }
}

// The lanes of a packet are points of the batch.
void StationaryKernel::covariances_of_batch(const PaddedMatrix& encoded, const PaddedMatrix& points,
                                            const Vector& theta, PaddedMatrix& V,
                                            Vector& variances) const {
  const Index padded = V.padded_rows();
  for (Index j = 0; j < encoded.rows(); ++j) {
    std::fill_n(V.column(j), padded, 0.0);
    for (Index k = 0; k < encoded.columns(); ++k) {
      const double inverse = 1.0 / lengthscale(theta, k);
      for (Index p = 0; p < padded; p += kLanes) {
        const Packet difference = packet_at(points.column(k) + p) * inverse - encoded(j, k);
        packet_at(V.column(j) + p) += difference * difference;
      }
    }
    take_roots(V.column(j), padded);
    profile_.evaluate(V.column(j), nullptr, padded);
  }
  variances.setOnes();
}

}  // namespace oscbo::gp
