#include "gp/additive_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

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

// The exponential of a Matern-5/2 kernel of one coordinate is a product over its two points:
//
//   e^(-c |x - x'|) = min(e^(c u) e^(-c u'), e^(-c u) e^(c u')),   c = sqrt(5) / a,  u = x - 1/2,
//
// so that two exponentials per point and coordinate serve all pairs of points. Beyond
// kLargestExponent the products could overflow, and the exponentials are taken pair by pair.
constexpr double kMaternRate = 2.23606797749978969641;
constexpr double kLargestExponent = 300.0;

double exponent_of(double x, double lengthscale) { return kMaternRate / lengthscale * (x - 0.5); }

void write_exponentials(double x, double lengthscale, double& rising, double& falling) {
  const double exponent = exponent_of(x, lengthscale);
  const bool fits = std::abs(exponent) <= kLargestExponent;
  rising = fits ? std::exp(exponent) : 0.0;
  falling = fits ? 1.0 / rising : 0.0;
}

/// The points as the functions below want them: coordinates, then e^(c u), then e^(-c u), a column
/// per coordinate each. The exponentials are zero where they would be too large.
class EncodedPoints {
 public:
  EncodedPoints(const PaddedMatrix& columns, const Parts& parts)
      : columns_(columns), dimension_(columns.columns() / 3) {
    const bool is_padded = columns.padded_rows() > columns.rows();
    for (Index k = 0; k < dimension_; ++k) {
      // The padding stands for coordinates zero, whatever was left in it.
      const bool padding_fits =
          !is_padded || std::abs(exponent_of(0.0, parts.single[k])) <= kLargestExponent;
      fits_.push_back(padding_fits && std::all_of(rising(k), rising(k) + columns.rows(),
                                                  [](double value) { return value > 0.0; }));
    }
  }

  [[nodiscard]] Index dimension() const { return dimension_; }
  /// Whether all points have their exponentials of coordinate k.
  [[nodiscard]] bool fits(Index k) const { return fits_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] const double* coordinates(Index k) const { return columns_.column(k); }
  [[nodiscard]] const double* rising(Index k) const { return columns_.column(dimension_ + k); }
  [[nodiscard]] const double* falling(Index k) const { return columns_.column(2 * dimension_ + k); }

 private:
  const PaddedMatrix& columns_;
  Index dimension_;
  std::vector<bool> fits_;
};

/// One point against which others are measured.
struct Centre {
  const double* values;  // coordinate k at values[k * stride], rising and falling likewise
  Index stride;
  Index dimension;

  [[nodiscard]] double coordinate(Index k) const { return values[k * stride]; }
  [[nodiscard]] double rising(Index k) const { return values[(dimension + k) * stride]; }
  [[nodiscard]] double falling(Index k) const { return values[(2 * dimension + k) * stride]; }
};

/// Row i of the first columns of X, encoded; the padding is that of coordinates zero.
void encode_points(const PaddedMatrix& X, Index rows, Index dimension, const Vector& theta,
                   PaddedMatrix& encoded) {
  const Parts parts(theta, dimension);
  encoded.resize(rows, 3 * dimension);
  for (Index k = 0; k < dimension; ++k) {
    for (Index i = 0; i < encoded.padded_rows(); ++i) {
      encoded(i, k) = i < rows ? X(i, k) : 0.0;
      write_exponentials(encoded(i, k), parts.single[k], encoded(i, dimension + k),
                         encoded(i, 2 * dimension + k));
    }
  }
}

/// The points of a block of rows against one other point.
struct RowBlock {
  const EncodedPoints& points;
  Index begin;
  Index count;  // a multiple of kLanes, at most kBlock
  Centre centre;

  [[nodiscard]] const double* coordinates(Index k) const { return points.coordinates(k) + begin; }

  /// phi, and psi unless it is null, of the joint part.
  void evaluate_joint(const RadialProfile& profile, const double* lengthscales, Block& phi,
                      double* psi) const {
    phi.fill(0.0);
    for (Index k = 0; k < points.dimension(); ++k) {
      const double factor = 1.0 / (lengthscales[k] * lengthscales[k]);
      for (Index i = 0; i < count; i += kLanes) {
        const Packet difference = packet_at(coordinates(k) + i) - centre.coordinate(k);
        packet_at(phi.data() + i) += difference * difference * factor;
      }
    }
    take_roots(phi.data(), count);
    profile.evaluate(phi.data(), psi, count);
  }

  /// Likewise of the part of coordinate k.
  void evaluate_single(const RadialProfile& profile, Index k, double lengthscale, Block& phi,
                       double* psi) const {
    if (profile.is_matern52() && points.fits(k) && centre.rising(k) > 0.0) {
      return evaluate_product(k, kMaternRate / lengthscale, phi, psi);
    }
    for (Index i = 0; i < count; ++i) {
      phi[static_cast<std::size_t>(i)] =
          std::abs(coordinates(k)[i] - centre.coordinate(k)) / lengthscale;
    }
    profile.evaluate(phi.data(), psi, count);
  }

 private:
  /// phi = (1 + s + s^2/3) e^(-s), psi = 5/3 (1 + s) e^(-s), s = sqrt(5) |x - x'| / a.
  void evaluate_product(Index k, double rate, Block& phi, double* psi) const {
    const double* const rising = points.rising(k) + begin;
    const double* const falling = points.falling(k) + begin;
    const double x = centre.coordinate(k);
    const double up = centre.rising(k);
    const double down = centre.falling(k);
    for (Index i = 0; i < count; i += kLanes) {
      const Packet difference = packet_at(coordinates(k) + i) - x;
      const Packet s = rate * (difference < 0.0 ? -difference : difference);
      const Packet one = packet_at(rising + i) * down;
      const Packet other = packet_at(falling + i) * up;
      const Packet e = one < other ? one : other;
      const Packet linear = (1.0 + s) * e;
      packet_at(phi.data() + i) = linear + s * s * (e * (1.0 / 3.0));
      if (psi != nullptr) packet_at(psi + i) = (5.0 / 3.0) * linear;
    }
  }
};

/// Calls use(block) for the rows begin .. end - 1, multiples of kLanes, of `points`.
template <typename Use>
void for_each_block(const EncodedPoints& points, Index begin, Index end, const Centre& centre,
                    const Use& use) {
  for (Index first = begin; first < end; first += kBlock) {
    use(RowBlock{points, first, std::min(kBlock, end - first), centre});
  }
}

/// Writes the covariances of the block's points to k, which begins with the block's first row, and
/// unless `slopes` is null what `pull_back` wants: psi of each part, by its share.
void block_covariances(const RadialProfile& profile, const Parts& parts, const RowBlock& block,
                       double* k, PaddedMatrix* slopes) {
  const Index dimension = block.points.dimension();
  alignas(64) Block phi;
  alignas(64) Block psi;
  double* const slope = slopes != nullptr ? psi.data() : nullptr;
  const auto keep_slope = [&](Index column, double share) {
    if (slopes == nullptr) return;
    for (Index i = 0; i < block.count; i += kLanes) {
      packet_at(slopes->column(column) + block.begin + i) = share * packet_at(psi.data() + i);
    }
  };

  block.evaluate_joint(profile, parts.joint, phi, slope);
  keep_slope(0, parts.joint_share());
  for (Index i = 0; i < block.count; i += kLanes) {
    packet_at(k + i) = parts.joint_share() * packet_at(phi.data() + i);
  }
  for (Index j = 0; j < dimension; ++j) {
    block.evaluate_single(profile, j, parts.single[j], phi, slope);
    keep_slope(1 + j, parts.single_share(dimension));
    for (Index i = 0; i < block.count; i += kLanes) {
      packet_at(k + i) += parts.single_share(dimension) * packet_at(phi.data() + i);
    }
  }
}

/// Row `row` of the encoded points.
Centre row_of(const PaddedMatrix& encoded, Index row) {
  return {.values = encoded.column(0) + row,
          .stride = encoded.stride(),
          .dimension = encoded.columns() / 3};
}

}  // namespace

void AdditiveKernel::matrix(const Inputs& inputs, const Vector& theta, PaddedMatrix& K) const {
  const Parts parts(theta, inputs.dimension());
  PaddedMatrix encoded;
  encode(inputs, theta, encoded);
  const EncodedPoints points(encoded, parts);
  for (Index j = 0; j < inputs.size(); ++j) {
    for_each_block(points, round_down_to_lanes(j), round_up_to_lanes(inputs.size()),
                   row_of(encoded, j), [&](const auto& block) {
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
  PaddedMatrix encoded;
  encode(inputs, theta, encoded);
  const EncodedPoints points(encoded, parts);
  for (Index j = 0; j < n; ++j) {
    const Centre centre = row_of(encoded, j);
    for_each_block(
        points, round_down_to_lanes(j), round_up_to_lanes(n), centre, [&](const auto& block) {
          const double* const weights = M.column(j) + block.begin;
          const auto sum = [&](const auto& term) {
            Packet total{};
            for (Index i = 0; i < block.count; i += kLanes)
              total += packet_at(weights + i) * term(i);
            return numeric::sum_of_lanes(total);
          };
          const auto change_of_scale = [&](Index k) {
            return sum([&](Index i) {
              const Packet difference = packet_at(block.coordinates(k) + i) - centre.coordinate(k);
              return packet_at(psi.data() + i) * difference * difference;
            });
          };
          const auto values = [&](Index i) { return packet_at(phi.data() + i); };

          block.evaluate_joint(profile_, parts.joint, phi, psi.data());
          for (Index k = 0; k < dimension; ++k) gradient[k] += change_of_scale(k);
          gradient[2 * dimension] -= sum(values);
          for (Index k = 0; k < dimension; ++k) {
            block.evaluate_single(profile_, k, parts.single[k], phi, psi.data());
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

void AdditiveKernel::encode(const Inputs& inputs, const Vector& theta,
                            PaddedMatrix& encoded) const {
  encode_points(inputs.X(), inputs.size(), inputs.dimension(), theta, encoded);
}

void AdditiveKernel::append_encoded(std::span<const double> x, const Vector& theta,
                                    PaddedMatrix& encoded) const {
  const Index row = encoded.rows();
  const auto dimension = static_cast<Index>(x.size());
  const Parts parts(theta, dimension);
  encoded.grow(row + 1, 3 * dimension);
  for (Index k = 0; k < dimension; ++k) {
    encoded(row, k) = x[static_cast<std::size_t>(k)];
    write_exponentials(encoded(row, k), parts.single[k], encoded(row, dimension + k),
                       encoded(row, 2 * dimension + k));
  }
}

void AdditiveKernel::covariances(const PaddedMatrix& encoded, std::span<const double> x,
                                 const Vector& theta, double* k, PaddedMatrix* slopes) const {
  const Parts parts(theta, encoded.columns() / 3);
  const EncodedPoints points(encoded, parts);
  std::vector<double> values(x.begin(), x.end());
  values.resize(3 * x.size());
  for (std::size_t j = 0; j < x.size(); ++j) {
    write_exponentials(x[j], parts.single[j], values[x.size() + j], values[2 * x.size() + j]);
  }
  const Centre centre{.values = values.data(), .stride = 1, .dimension = points.dimension()};
  for_each_block(points, 0, encoded.padded_rows(), centre, [&](const auto& block) {
    block_covariances(profile_, parts, block, k + block.begin, slopes);
  });
}

// dk_i/dx_k = -(s psi(r_i) / l_k^2 + t psi(r_ik) / a_k^2) (x_k - x_ik).
void AdditiveKernel::pull_back(const PaddedMatrix& encoded, std::span<const double> x,
                               const Vector& theta, const PaddedMatrix& slopes,
                               const WeightedGradients& gradients) const {
  const Parts parts(theta, encoded.columns() / 3);
  const EncodedPoints points(encoded, parts);
  const double* const joint_slope = slopes.column(0);
  for (Index k = 0; k < points.dimension(); ++k) {
    const auto entry = static_cast<std::size_t>(k);
    const double joint = 1.0 / (parts.joint[k] * parts.joint[k]);
    const double single = 1.0 / (parts.single[k] * parts.single[k]);
    const double* const single_slope = slopes.column(1 + k);
    const double* const coordinates = points.coordinates(k);
    Packet first{};
    Packet second{};
    for (Index i = 0; i < encoded.padded_rows(); i += kLanes) {
      const Packet change =
          (joint * packet_at(joint_slope + i) + single * packet_at(single_slope + i)) *
          (packet_at(coordinates + i) - x[entry]);
      first += packet_at(gradients.first_weights + i) * change;
      second += packet_at(gradients.second_weights + i) * change;
    }
    gradients.first[entry] = numeric::sum_of_lanes(first);
    gradients.second[entry] = numeric::sum_of_lanes(second);
  }
}

// Lanes are points of the batch.
void AdditiveKernel::covariances_of_batch(const PaddedMatrix& encoded, const PaddedMatrix& points,
                                          const Vector& theta, PaddedMatrix& V,
                                          Vector& variances) const {
  const Index dimension = points.columns();
  const Parts parts(theta, dimension);
  PaddedMatrix batch;
  encode_points(points, points.rows(), dimension, theta, batch);
  const EncodedPoints lanes(batch, parts);
  for (Index j = 0; j < encoded.rows(); ++j) {
    for_each_block(lanes, 0, V.padded_rows(), row_of(encoded, j), [&](const auto& block) {
      block_covariances(profile_, parts, block, V.column(j) + block.begin, nullptr);
    });
  }
  variances.setOnes();
}

}  // namespace oscbo::gp
