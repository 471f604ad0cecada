#include "gp/additive_kernel.hpp"

#include <array>

namespace oscbo::gp {

using numeric::kLanes;
using numeric::Packet;
using numeric::packet_at;
using numeric::round_down_to_lanes;
using numeric::round_up_to_lanes;

namespace {

// Rows are worked off in blocks that stay in the first-level cache, with all coordinates of a block
// before the next one: no workspace is needed, and every profile is evaluated on long runs.
constexpr Index kBlock = 64;
using Block = std::array<double, kBlock>;

/// theta by its parts.
struct Parts {
  Parts(const Vector& theta, Index dimension)
      : joint(theta.data()), single(theta.data() + dimension), weight(theta[2 * dimension]) {}

  const double* joint;   // l
  const double* single;  // a
  double weight;         // w

  [[nodiscard]] double joint_share() const { return 1.0 / (1.0 + weight); }
  [[nodiscard]] double single_share(Index dimension) const {
    return weight / (1.0 + weight) / static_cast<double>(dimension);
  }
};

/// The points of a block of rows against one other point: rows begin .. begin + count - 1 of
/// `points`, and the coordinates of the other as centre(k).
template <typename Centre>
struct RowBlock {
  const PaddedMatrix& points;
  Index begin;
  Index count;  // a multiple of kLanes, at most kBlock
  const Centre& centre;

  [[nodiscard]] const double* coordinates(Index k) const { return points.column(k) + begin; }

  /// r of the joint part.
  void joint_distances(const double* lengthscales, Block& distances) const {
    distances.fill(0.0);
    for (Index k = 0; k < points.columns(); ++k) {
      const double factor = 1.0 / (lengthscales[k] * lengthscales[k]);
      for (Index i = 0; i < count; i += kLanes) {
        const Packet difference = packet_at(coordinates(k) + i) - centre(k);
        packet_at(distances.data() + i) += difference * difference * factor;
      }
    }
    take_roots(distances.data(), count);
  }

  /// |x_k - x'_k| / a_k.
  void single_distances(Index k, double lengthscale, Block& distances) const {
    const double factor = 1.0 / lengthscale;
    for (Index i = 0; i < count; ++i) {
      distances[static_cast<std::size_t>(i)] = std::abs(coordinates(k)[i] - centre(k)) * factor;
    }
  }
};

/// Calls use(block) for the rows begin .. end - 1, multiples of kLanes, of `points`.
template <typename Centre, typename Use>
void for_each_block(const PaddedMatrix& points, Index begin, Index end, const Centre& centre,
                    const Use& use) {
  for (Index first = begin; first < end; first += kBlock) {
    use(RowBlock<Centre>{points, first, std::min(kBlock, end - first), centre});
  }
}

/// Writes the covariances of the block's points to k, which begins with the block's first row, and
/// unless `slopes` is null what `pull_back` wants: psi of each part, by its share.
template <typename Centre>
void block_covariances(const RadialProfile& profile, const Parts& parts,
                       const RowBlock<Centre>& block, double* k, PaddedMatrix* slopes) {
  const Index dimension = block.points.columns();
  alignas(64) Block phi;
  alignas(64) Block psi;
  double* const slope = slopes != nullptr ? psi.data() : nullptr;
  const auto keep_slope = [&](Index column, double share) {
    if (slopes == nullptr) return;
    for (Index i = 0; i < block.count; i += kLanes) {
      packet_at(slopes->column(column) + block.begin + i) = share * packet_at(psi.data() + i);
    }
  };

  block.joint_distances(parts.joint, phi);
  profile.evaluate(phi.data(), slope, block.count);
  keep_slope(0, parts.joint_share());
  for (Index i = 0; i < block.count; i += kLanes) {
    packet_at(k + i) = parts.joint_share() * packet_at(phi.data() + i);
  }
  for (Index j = 0; j < dimension; ++j) {
    block.single_distances(j, parts.single[j], phi);
    profile.evaluate(phi.data(), slope, block.count);
    keep_slope(1 + j, parts.single_share(dimension));
    for (Index i = 0; i < block.count; i += kLanes) {
      packet_at(k + i) += parts.single_share(dimension) * packet_at(phi.data() + i);
    }
  }
}

}  // namespace

void AdditiveKernel::matrix(const Inputs& inputs, const Vector& theta, PaddedMatrix& K) const {
  const Parts parts(theta, inputs.dimension());
  for (Index j = 0; j < inputs.size(); ++j) {
    const auto centre = [&](Index k) { return inputs.X()(j, k); };
    for_each_block(inputs.X(), round_down_to_lanes(j), round_up_to_lanes(inputs.size()), centre,
                   [&](const auto& block) {
                     block_covariances(profile_, parts, block, K.column(j) + block.begin, nullptr);
                   });
  }
}

// With weights that are 1 below the diagonal, the contraction gives M itself.
void AdditiveKernel::matrix_with_slopes(const Inputs& inputs, const Vector& theta, PaddedMatrix& K,
                                        KernelSlopes& slopes) const {
  matrix(inputs, theta, K);
  const Index n = inputs.size();
  slopes.first.resize(n, n);
  for (Index j = 0; j < n; ++j) {
    double* const column = slopes.first.column(j);
    std::fill(column + round_down_to_lanes(j), column + j + 1, 0.0);
    std::fill(column + j + 1, column + round_up_to_lanes(n), 1.0);
  }
}

// With the shares s = 1/(1+w) and t = w/(d (1+w)), and twice for the two triangles,
//   dK/dl_k = s psi(r) (x_k - x'_k)^2 / l_k^3,   dK/da_k = t psi(r_k) (x_k - x'_k)^2 / a_k^3,
//   dK/dw   = s^2 (1/d sum_k phi(r_k) - phi(r)).
void AdditiveKernel::theta_gradient(const Inputs& inputs, const Vector& theta, KernelSlopes& slopes,
                                    const Contraction& contract, Vector& gradient) const {
  const Index n = inputs.size();
  const Index dimension = inputs.dimension();
  const Parts parts(theta, dimension);
  PaddedMatrix& M = slopes.second;
  M.resize(n, n);
  contract(slopes.first, &M);

  alignas(64) Block phi;
  alignas(64) Block psi;
  gradient.head(2 * dimension + 1).setZero();
  for (Index j = 0; j < n; ++j) {
    const auto centre = [&](Index k) { return inputs.X()(j, k); };
    for_each_block(inputs.X(), round_down_to_lanes(j), round_up_to_lanes(n), centre,
                   [&](const auto& block) {
                     const double* const weights = M.column(j) + block.begin;
                     const auto sum = [&](const auto& term) {
                       Packet total{};
                       for (Index i = 0; i < block.count; i += kLanes)
                         total += packet_at(weights + i) * term(i);
                       return numeric::sum_of_lanes(total);
                     };
                     const auto change_of_scale = [&](Index k) {
                       return sum([&](Index i) {
                         const Packet difference = packet_at(block.coordinates(k) + i) - centre(k);
                         return packet_at(psi.data() + i) * difference * difference;
                       });
                     };
                     const auto values = [&](Index i) { return packet_at(phi.data() + i); };

                     block.joint_distances(parts.joint, phi);
                     profile_.evaluate(phi.data(), psi.data(), block.count);
                     for (Index k = 0; k < dimension; ++k) gradient[k] += change_of_scale(k);
                     gradient[2 * dimension] -= sum(values);
                     for (Index k = 0; k < dimension; ++k) {
                       block.single_distances(k, parts.single[k], phi);
                       profile_.evaluate(phi.data(), psi.data(), block.count);
                       gradient[dimension + k] += change_of_scale(k);
                       gradient[2 * dimension] += sum(values) / static_cast<double>(dimension);
                     }
                   });
  }
  for (Index k = 0; k < dimension; ++k) {
    gradient[k] *= 2.0 * parts.joint_share() / std::pow(parts.joint[k], 3);
    gradient[dimension + k] *= 2.0 * parts.single_share(dimension) / std::pow(parts.single[k], 3);
  }
  gradient[2 * dimension] *= 2.0 * parts.joint_share() * parts.joint_share();
}

void AdditiveKernel::encode(const Inputs& inputs, const Vector& /*theta*/,
                            PaddedMatrix& encoded) const {
  encoded.resize(inputs.size(), inputs.dimension());
  for (Index k = 0; k < inputs.dimension(); ++k) {
    std::copy_n(inputs.X().column(k), encoded.padded_rows(), encoded.column(k));
  }
}

void AdditiveKernel::append_encoded(std::span<const double> x, const Vector& /*theta*/,
                                    PaddedMatrix& encoded) const {
  const Index row = encoded.rows();
  encoded.grow(row + 1, static_cast<Index>(x.size()));
  for (std::size_t k = 0; k < x.size(); ++k) encoded(row, static_cast<Index>(k)) = x[k];
}

void AdditiveKernel::covariances(const PaddedMatrix& encoded, std::span<const double> x,
                                 const Vector& theta, Vector& k, PaddedMatrix* slopes) const {
  const Parts parts(theta, encoded.columns());
  const auto centre = [&](Index j) { return x[static_cast<std::size_t>(j)]; };
  for_each_block(encoded, 0, encoded.padded_rows(), centre, [&](const auto& block) {
    block_covariances(profile_, parts, block, k.data() + block.begin, slopes);
  });
}

// dk_i/dx_k = -(s psi(r_i) / l_k^2 + t psi(r_ik) / a_k^2) (x_k - x_ik).
void AdditiveKernel::pull_back(const PaddedMatrix& encoded, std::span<const double> x,
                               const Vector& theta, const PaddedMatrix& slopes,
                               const WeightedGradients& gradients) const {
  const Parts parts(theta, encoded.columns());
  const double* const joint_slope = slopes.column(0);
  for (Index k = 0; k < encoded.columns(); ++k) {
    const auto entry = static_cast<std::size_t>(k);
    const double joint = 1.0 / (parts.joint[k] * parts.joint[k]);
    const double single = 1.0 / (parts.single[k] * parts.single[k]);
    const double* const single_slope = slopes.column(1 + k);
    const double* const coordinates = encoded.column(k);
    Packet first{};
    Packet second{};
    for (Index i = 0; i < encoded.padded_rows(); i += kLanes) {
      const Packet change =
          (joint * packet_at(joint_slope + i) + single * packet_at(single_slope + i)) *
          (packet_at(coordinates + i) - x[entry]);
      first += packet_at(gradients.first_weights.data() + i) * change;
      second += packet_at(gradients.second_weights.data() + i) * change;
    }
    gradients.first[entry] = numeric::sum_of_lanes(first);
    gradients.second[entry] = numeric::sum_of_lanes(second);
  }
}

// Lanes are points of the batch.
void AdditiveKernel::covariances_of_batch(const PaddedMatrix& encoded, const PaddedMatrix& points,
                                          const Vector& theta, PaddedMatrix& V,
                                          Vector& variances) const {
  const Parts parts(theta, encoded.columns());
  for (Index j = 0; j < encoded.rows(); ++j) {
    const auto centre = [&](Index k) { return encoded(j, k); };
    for_each_block(points, 0, V.padded_rows(), centre, [&](const auto& block) {
      block_covariances(profile_, parts, block, V.column(j) + block.begin, nullptr);
    });
  }
  variances.setOnes();
}

}  // namespace oscbo::gp
