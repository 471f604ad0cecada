#include "gp/additive_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace oscbo::gp {

namespace {

// Rows are processed in blocks that fit in the first-level cache. All coordinates of a block are
// done before the next block. So no workspace is needed, and every profile is evaluated on long
// arrays.
constexpr Index kBlock = 64;
using Block = std::array<double, kBlock>;

/// theta split into its parts.
struct Parts {
  Parts(const RadialProfile& kernel_profile, const Layout& kernel_layout, const Vector& theta)
      : profile(kernel_profile),
        layout(kernel_layout),
        parameters(layout.parameters()),
        joint(profile, layout, theta.data()),
        single(theta.data() + parameters),
        weight(theta[2 * parameters]) {}

  const RadialProfile& profile;
  const Layout& layout;
  Index parameters;      // d
  JointPart joint;       // with the lengthscales l
  const double* single;  // a
  double weight;         // w

  [[nodiscard]] double joint_share() const { return 1.0 / (1.0 + weight); }
  [[nodiscard]] double single_share() const {
    return weight / (1.0 + weight) / static_cast<double>(parameters);
  }
};

// The exponential in a Matern-5/2 kernel of one coordinate is a product over its two points:
//
//   e^(-c |x - x'|) = min(e^(c u) e^(-c u'), e^(-c u) e^(c u')),   c = sqrt(5) / a,  u = x - 1/2.
//
// So two exponentials per point and coordinate serve all pairs of points. Beyond kLargestExponent
// the products could overflow, and each pair computes its own exponential.
constexpr double kMaternRate = 2.23606797749978969641;
constexpr double kLargestExponent = 300.0;

double exponent_of(double x, double lengthscale) { return kMaternRate / lengthscale * (x - 0.5); }

void write_exponentials(double x, double lengthscale, double& rising, double& falling) {
  const double exponent = exponent_of(x, lengthscale);
  const bool fits = std::abs(exponent) <= kLargestExponent;
  rising = fits ? std::exp(exponent) : 0.0;
  falling = fits ? 1.0 / rising : 0.0;
}

/// Writes the exponentials of all coordinates of x after the coordinates, first the rising ones. x
/// is values[0], values[stride], .... Zeros mark exponentials that would be too large, and
/// parameters whose kernel is not a function of a single coordinate.
void append_exponentials(const Parts& parts, double* values, Index stride) {
  const Index dimension = parts.layout.columns();
  for (Index p = 0; p < parts.parameters; ++p) {
    for (Index k = parts.layout[p].first; k < parts.layout[p].end(); ++k) {
      double& rising = values[(dimension + k) * stride];
      double& falling = values[(2 * dimension + k) * stride];
      rising = falling = 0.0;
      if (!parts.layout[p].is_plain()) continue;
      write_exponentials(values[k * stride], parts.single[p], rising, falling);
    }
  }
}

/// The points in the form that the functions below take: the coordinates, then e^(c u), then e^(-c
/// u), with one column per coordinate each. Exponentials that would be too large are zero.
class EncodedPoints {
 public:
  EncodedPoints(const PaddedMatrix& columns, const Parts& parts)
      : columns_(columns), dimension_(parts.layout.columns()) {
    const bool is_padded = columns.padded_rows() > columns.rows();
    for (Index p = 0; p < parts.parameters; ++p) {
      // The padding counts as a point with zero coordinates, whatever it contains.
      const bool padding_fits =
          !is_padded || std::abs(exponent_of(0.0, parts.single[p])) <= kLargestExponent;
      const double* const rising = columns.column(dimension_ + parts.layout[p].first);
      fits_.push_back(padding_fits && std::all_of(rising, rising + columns.rows(),
                                                  [](double value) { return value > 0.0; }));
    }
  }

  [[nodiscard]] const PaddedMatrix& columns() const { return columns_; }
  [[nodiscard]] Index rising(Index k) const { return dimension_ + k; }
  [[nodiscard]] Index falling(Index k) const { return 2 * dimension_ + k; }
  /// fits tells whether all points have exponentials for parameter p.
  [[nodiscard]] bool fits(Index p) const { return fits_[static_cast<std::size_t>(p)]; }

 private:
  const PaddedMatrix& columns_;
  Index dimension_;
  std::vector<bool> fits_;
};

/// The point from which the distances of the others are measured.
struct Centre {
  const double* values;  // column k of EncodedPoints at values[k * stride]
  Index stride;
};

/// Encodes the first `rows` rows of X. The padding is that of a point with zero coordinates.
void encode_points(const PaddedMatrix& X, Index rows, const Parts& parts, PaddedMatrix& encoded) {
  const Index dimension = parts.layout.columns();
  encoded.resize(rows, 3 * dimension);
  for (Index i = 0; i < encoded.padded_rows(); ++i) {
    for (Index k = 0; k < dimension; ++k) encoded(i, k) = i < rows ? X(i, k) : 0.0;
    append_exponentials(parts, encoded.column(0) + i, encoded.stride());
  }
}

/// A block of rows of points, and one other point.
struct RowBlock {
  const EncodedPoints& points;
  Index begin;
  PointBlock block;  // a multiple of kLanes, at most kBlock

  /// Writes phi of the part of parameter p, and psi unless that is null.
  void evaluate_single(const Parts& parts, Index p, Block& phi, double* psi) const {
    const Layout::Parameter& parameter = parts.layout[p];
    const double lengthscale = parts.single[p];
    if (parts.profile.is_matern52() && points.fits(p) &&
        block.centre_coordinate(points.rising(parameter.first)) > 0.0) {
      return evaluate_product(parameter.first, kMaternRate / lengthscale, phi, psi);
    }
    write_distances(block, parameter, phi.data());
    for (Index i = 0; i < block.count; i += kLanes) packet_at(phi.data() + i) /= lengthscale;
    parts.profile.evaluate(phi.data(), psi, block.count);
  }

 private:
  /// phi = (1 + s + s^2/3) e^(-s), psi = 5/3 (1 + s) e^(-s), s = sqrt(5) |x - x'| / a.
  void evaluate_product(Index k, double rate, Block& phi, double* psi) const {
    const double* const coordinates = block.coordinates(k);
    const double* const rising = block.coordinates(points.rising(k));
    const double* const falling = block.coordinates(points.falling(k));
    const double x = block.centre_coordinate(k);
    const double up = block.centre_coordinate(points.rising(k));
    const double down = block.centre_coordinate(points.falling(k));
    for (Index i = 0; i < block.count; i += kLanes) {
      const Packet difference = packet_at(coordinates + i) - x;
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

/// Splits the rows begin .. end - 1 of `points` into blocks and calls use(block) for each. Requires
/// multiples of kLanes.
template <typename Use>
void for_each_block(const EncodedPoints& points, Index begin, Index end, const Centre& centre,
                    const Use& use) {
  for (Index first = begin; first < end; first += kBlock) {
    use(RowBlock{.points = points,
                 .begin = first,
                 .block = {.points = points.columns().column(0) + first,
                           .stride = points.columns().stride(),
                           .count = std::min(kBlock, end - first),
                           .centre = centre.values,
                           .centre_stride = centre.stride}});
  }
}

/// Writes the covariances of the rows to k, where k[0] belongs to the first row. Unless `slopes` is
/// null, it writes what `pull_back` needs there: psi of each part times its share.
void block_covariances(const Parts& parts, const RowBlock& rows, double* k, PaddedMatrix* slopes) {
  const Index count = rows.block.count;
  alignas(64) Block phi;
  alignas(64) Block psi;
  double* const slope = slopes != nullptr ? psi.data() : nullptr;
  const auto keep_slope = [&](Index column, double share) {
    if (slopes == nullptr) return;
    for (Index i = 0; i < count; i += kLanes) {
      packet_at(slopes->column(column) + rows.begin + i) = share * packet_at(psi.data() + i);
    }
  };

  parts.joint.evaluate(rows.block, phi.data(), slope);
  keep_slope(0, parts.joint_share());
  for (Index i = 0; i < count; i += kLanes) {
    packet_at(k + i) = parts.joint_share() * packet_at(phi.data() + i);
  }
  for (Index p = 0; p < parts.parameters; ++p) {
    rows.evaluate_single(parts, p, phi, slope);
    keep_slope(1 + p, parts.single_share());
    for (Index i = 0; i < count; i += kLanes) {
      packet_at(k + i) += parts.single_share() * packet_at(phi.data() + i);
    }
  }
}

/// Returns row `row` of the encoded points.
Centre row_of(const PaddedMatrix& encoded, Index row) {
  return {.values = encoded.column(0) + row, .stride = encoded.stride()};
}

}  // namespace

void AdditiveKernel::matrix(const Inputs& inputs, const Vector& theta, PaddedMatrix& K) const {
  const Parts parts(profile_, layout_, theta);
  PaddedMatrix encoded;
  encode(inputs, theta, encoded);
  const EncodedPoints points(encoded, parts);
  for (Index j = 0; j < inputs.size(); ++j) {
    for_each_block(points, round_down_to_lanes(j), round_up_to_lanes(inputs.size()),
                   row_of(encoded, j), [&](const auto& rows) {
                     block_covariances(parts, rows, K.column(j) + rows.begin, nullptr);
                   });
  }
}

// With the shares s = 1/(1+w) and t = w/(d (1+w)),
//
//   dK/dl_p = s dk_joint/dl_p,   dK/da_p = t psi(r_p) |x_p - x'_p|^2 / a_p^3,
//   dK/dw   = s^2 (1/d sum_p phi(r_p) - k_joint).
//
// The sums run over the lower triangle and are doubled to include the upper one.
void AdditiveKernel::theta_gradient(const Inputs& inputs, const Vector& theta, KernelSlopes& slopes,
                                    const Contraction& contract, Vector& gradient) const {
  const Index n = inputs.size();
  const Parts parts(profile_, layout_, theta);
  const Index d = parts.parameters;
  const PaddedMatrix& M = slopes.weights(n, contract);

  alignas(64) Block phi;
  alignas(64) Block psi;
  gradient.head(2 * d + 1).setZero();
  PaddedMatrix encoded;
  encode(inputs, theta, encoded);
  const EncodedPoints points(encoded, parts);
  for (Index j = 0; j < n; ++j) {
    for_each_block(
        points, round_down_to_lanes(j), round_up_to_lanes(n), row_of(encoded, j),
        [&](const auto& rows) {
          const double* const weights = M.column(j) + rows.begin;
          const auto sum_of_values = [&] {
            return weighted_sum(weights, rows.block.count,
                                [&](Index i) { return packet_at(phi.data() + i); });
          };
          parts.joint.evaluate(rows.block, phi.data(), psi.data());
          parts.joint.add_theta_gradient(rows.block, weights, phi.data(), psi.data(), gradient);
          gradient[2 * d] -= sum_of_values();
          for (Index p = 0; p < d; ++p) {
            rows.evaluate_single(parts, p, phi, psi.data());
            gradient[d + p] += weighted_squares(rows.block, layout_[p], weights, psi.data());
            gradient[2 * d] += sum_of_values() / static_cast<double>(d);
          }
        });
  }
  for (Index p = 0; p < d; ++p) {
    gradient[p] *= 2.0 * parts.joint_share() / std::pow(parts.joint.lengthscale(p), 3);
    gradient[d + p] *= 2.0 * parts.single_share() / std::pow(parts.single[p], 3);
  }
  gradient[2 * d] *= 2.0 * parts.joint_share() * parts.joint_share();
}

void AdditiveKernel::encode(const Inputs& inputs, const Vector& theta,
                            PaddedMatrix& encoded) const {
  encode_points(inputs.X(), inputs.size(), Parts(profile_, layout_, theta), encoded);
}

void AdditiveKernel::append_encoded(std::span<const double> x, const Vector& theta,
                                    PaddedMatrix& encoded) const {
  const Index row = encoded.rows();
  encoded.grow(row + 1, 3 * layout_.columns());
  for (std::size_t k = 0; k < x.size(); ++k) encoded(row, static_cast<Index>(k)) = x[k];
  append_exponentials(Parts(profile_, layout_, theta), encoded.column(0) + row, encoded.stride());
}

void AdditiveKernel::covariances(const PaddedMatrix& encoded, std::span<const double> x,
                                 const Vector& theta, double* k, PaddedMatrix* slopes) const {
  const Parts parts(profile_, layout_, theta);
  const EncodedPoints points(encoded, parts);
  std::vector<double> values(x.begin(), x.end());
  values.resize(3 * x.size());
  append_exponentials(parts, values.data(), 1);
  for_each_block(points, 0, encoded.padded_rows(), {.values = values.data(), .stride = 1},
                 [&](const auto& rows) { block_covariances(parts, rows, k + rows.begin, slopes); });
}

// For a column k of a numeric parameter p, dk_i/dx_k = -(s psi(r_i) / l_p^2 + t psi(r_ip) / a_p^2)
// (x_k - x_ik), where psi(r_i) includes the factors of the categorical parameters.
void AdditiveKernel::pull_back(const PaddedMatrix& encoded, std::span<const double> x,
                               const Vector& theta, const PaddedMatrix& slopes,
                               const WeightedGradients& gradients) const {
  const Parts parts(profile_, layout_, theta);
  const double* const joint_slope = slopes.column(0);
  gradients.set_zero();
  for (Index p = 0; p < parts.parameters; ++p) {
    if (layout_[p].is_categorical) continue;
    const double joint = 1.0 / (parts.joint.lengthscale(p) * parts.joint.lengthscale(p));
    const double single = 1.0 / (parts.single[p] * parts.single[p]);
    const double* const single_slope = slopes.column(1 + p);
    for (Index k = layout_[p].first; k < layout_[p].end(); ++k) {
      const auto entry = static_cast<std::size_t>(k);
      const double* const coordinates = encoded.column(k);
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
}

// The lanes of a packet are points of the batch.
void AdditiveKernel::covariances_of_batch(const PaddedMatrix& encoded, const PaddedMatrix& points,
                                          const Vector& theta, PaddedMatrix& V,
                                          Vector& variances) const {
  const Parts parts(profile_, layout_, theta);
  PaddedMatrix batch;
  encode_points(points, points.rows(), parts, batch);
  const EncodedPoints lanes(batch, parts);
  for (Index j = 0; j < encoded.rows(); ++j) {
    for_each_block(lanes, 0, V.padded_rows(), row_of(encoded, j), [&](const auto& rows) {
      block_covariances(parts, rows, V.column(j) + rows.begin, nullptr);
    });
  }
  variances.setOnes();
}

}  // namespace oscbo::gp
