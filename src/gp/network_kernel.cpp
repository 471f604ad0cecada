#include "gp/network_kernel.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "gp/kernel_options.hpp"

namespace oscbo::gp {

namespace {

constexpr double kPi = std::numbers::pi;

// --- the recursion over the layers -------------------------------------------------------------

/// A number and its derivatives with respect to N quantities of the caller's choice.
template <std::size_t N>
struct Jet {
  double value = 0.0;
  std::array<double, N> slopes{};
};

/// E[a(u) a(u')] and its derivatives with respect to the variances of u and u' and their
/// covariance.
struct Expectation {
  double value;
  double by_first;
  double by_second;
  double by_covariance;
};

/// E[a(u)^2] and its derivative with respect to the variance of u.
struct SquareExpectation {
  double value;
  double by_variance;
};

/// For a(u) = max(u, 0), let t be the angle between u and u', cos t = k12 / sqrt(k11 k22). Then
///
///   E[a(u) a(u')] = sqrt(k11 k22) (sin t + (pi - t) cos t) / (2 pi).
///
/// The derivative of the bracket with respect to cos t is pi - t. It is finite everywhere, although
/// dt/dcos t is not. So the cosine is clamped only at one. A tighter clamp, which keeps t away from
/// zero, would make the kernel of close points differ from the diagonal, and the matrix would no
/// longer be positive definite.
Expectation relu_product(double k11, double k22, double k12) {
  const double scale = std::sqrt(k11 * k22);
  const double cosine = std::clamp(k12 / scale, -1.0, 1.0);
  const double angle = std::acos(cosine);
  const double sine_part = scale * std::sqrt((1.0 - cosine) * (1.0 + cosine)) / (2.0 * kPi);
  const double by_covariance = (kPi - angle) / (2.0 * kPi);
  return {.value = sine_part + by_covariance * scale * cosine,
          .by_first = 0.5 * sine_part / k11,
          .by_second = 0.5 * sine_part / k22,
          .by_covariance = by_covariance};
}

SquareExpectation relu_square(double K) { return {.value = 0.5 * K, .by_variance = 0.5}; }

/// For a(u) = erf(u), E[a(u) a(u')] = 2/pi asin(s) with s = 2 k12 / sqrt((1 + 2 k11) (1 + 2 k22)).
/// asin(s) = atan(2 k12 / root) with root^2 = (1 + 2 k11) (1 + 2 k22) - 4 k12^2 >= 1.
Expectation erf_product(double k11, double k22, double k12) {
  const double first = 1.0 + 2.0 * k11;
  const double second = 1.0 + 2.0 * k22;
  const double root = std::sqrt(std::max(first * second - 4.0 * k12 * k12, 1.0));
  const double slope = 4.0 / (kPi * root);
  return {.value = 2.0 / kPi * std::atan2(2.0 * k12, root),
          .by_first = -slope * k12 / first,
          .by_second = -slope * k12 / second,
          .by_covariance = slope};
}

SquareExpectation erf_square(double K) {
  const double root = std::sqrt(1.0 + 4.0 * K);
  return {.value = 2.0 / kPi * std::atan2(2.0 * K, root),
          .by_variance = 4.0 / (kPi * root * (1.0 + 2.0 * K))};
}

/// The network with given variances of weights and biases. It propagates N derivatives.
template <std::size_t N>
class Network {
 public:
  Network(const NetworkArchitecture& architecture, const Jet<N>& vw, const Jet<N>& vb)
      : depth_(architecture.depth), activation_(architecture.activation), vw_(vw), vb_(vb) {
    if (!architecture.normalised) return;
    const Jet<N> largest = variance({.value = 1.0});
    scale_.value = 1.0 / largest.value;
    for (std::size_t k = 0; k < N; ++k) {
      scale_.slopes[k] = -largest.slopes[k] * scale_.value * scale_.value;
    }
  }

  /// For derivatives with respect to quantities other than theta.
  Network(const NetworkArchitecture& architecture, const Vector& theta)
      : Network(architecture, {.value = theta[0]}, {.value = theta[1]}) {}

  /// variance returns k(x, x).
  [[nodiscard]] Jet<N> variance(const Jet<N>& p) const {
    Jet<N> K = affine(p);
    for (int layer = 0; layer < depth_; ++layer) K = affine(square(K));
    return scaled(K);
  }

  /// covariance returns k(x, x') for x != x'. For equal points it is the variance up to rounding.
  [[nodiscard]] Jet<N> covariance(const Jet<N>& p, const Jet<N>& q, const Jet<N>& other_p) const {
    Jet<N> k11 = affine(p);
    Jet<N> k12 = affine(q);
    Jet<N> k22 = affine(other_p);
    for (int layer = 0; layer < depth_; ++layer) {
      k12 = affine(product(k11, k22, k12));
      k11 = affine(square(k11));
      k22 = affine(square(k22));
    }
    return scaled(k12);
  }

 private:
  /// Returns vb + vw E.
  [[nodiscard]] Jet<N> affine(const Jet<N>& E) const {
    Jet<N> K{.value = vb_.value + vw_.value * E.value};
    for (std::size_t k = 0; k < N; ++k) {
      K.slopes[k] = vb_.slopes[k] + vw_.slopes[k] * E.value + vw_.value * E.slopes[k];
    }
    return K;
  }

  [[nodiscard]] Jet<N> square(const Jet<N>& K) const {
    const SquareExpectation E =
        activation_ == KernelOptions::Activation::relu ? relu_square(K.value) : erf_square(K.value);
    Jet<N> result{.value = E.value};
    for (std::size_t k = 0; k < N; ++k) result.slopes[k] = E.by_variance * K.slopes[k];
    return result;
  }

  [[nodiscard]] Jet<N> product(const Jet<N>& k11, const Jet<N>& k22, const Jet<N>& k12) const {
    const Expectation E = activation_ == KernelOptions::Activation::relu
                              ? relu_product(k11.value, k22.value, k12.value)
                              : erf_product(k11.value, k22.value, k12.value);
    Jet<N> result{.value = E.value};
    for (std::size_t k = 0; k < N; ++k) {
      result.slopes[k] = E.by_first * k11.slopes[k] + E.by_second * k22.slopes[k] +
                         E.by_covariance * k12.slopes[k];
    }
    return result;
  }

  [[nodiscard]] Jet<N> scaled(const Jet<N>& K) const {
    Jet<N> k{.value = scale_.value * K.value};
    for (std::size_t i = 0; i < N; ++i) {
      k.slopes[i] = scale_.slopes[i] * K.value + scale_.value * K.slopes[i];
    }
    return k;
  }

  int depth_ = 0;
  KernelOptions::Activation activation_ = KernelOptions::Activation::relu;
  Jet<N> vw_;
  Jet<N> vb_;
  Jet<N> scale_{.value = 1.0};  // if normalised, one over the largest variance
};

// --- p and q -----------------------------------------------------------------------------------

/// products[i] = x_i . x / d for the rows begin <= i < end of `points`, in whole packets, where
/// coordinate(k) is x_k and d = dimension.
template <class Coordinate>
void scalar_products(const PaddedMatrix& points, Index dimension, Index begin, Index end,
                     Coordinate&& coordinate, double* products) {
  std::fill(products + begin, products + end, 0.0);
  const double factor = 1.0 / static_cast<double>(dimension);
  for (Index k = 0; k < dimension; ++k) {
    const double x = coordinate(k) * factor;
    for (Index i = begin; i < end; i += kLanes) {
      packet_at(products + i) += packet_at(points.column(k) + i) * x;
    }
  }
}

/// squares[i] = x_i . x_i / d for all rows of `points`, including the padding.
void mean_squares(const PaddedMatrix& points, Index dimension, double* squares) {
  std::fill_n(squares, points.padded_rows(), 0.0);
  const double factor = 1.0 / static_cast<double>(dimension);
  for (Index k = 0; k < dimension; ++k) {
    for (Index i = 0; i < points.padded_rows(); i += kLanes) {
      const Packet x = packet_at(points.column(k) + i);
      packet_at(squares + i) += x * (x * factor);
    }
  }
}

double mean_square(std::span<const double> x) {
  const double factor = 1.0 / static_cast<double>(x.size());
  double sum = 0.0;
  for (const double coordinate : x) sum += coordinate * (coordinate * factor);
  return sum;
}

/// Fills the lower triangle of K, in whole tiles, with diagonal(j, p_j) and pair(i, j, p_i, q_ij,
/// p_j). Until an entry is replaced by the kernel, it holds q, or p on the diagonal.
template <class Diagonal, class Pair>
void fill_lower_triangle(const Inputs& inputs, PaddedMatrix& K, Diagonal&& diagonal, Pair&& pair) {
  const Index n = inputs.size();
  for (Index j = 0; j < n; ++j) {
    scalar_products(
        inputs.X(), inputs.dimension(), round_down_to_lanes(j), round_up_to_lanes(n),
        [&](Index k) { return inputs.X()(j, k); }, K.column(j));
  }
  for (Index j = 0; j < n; ++j) {
    const double p = K(j, j);
    for (Index i = round_down_to_lanes(j); i < j; ++i) K(i, j) = K(j, i);
    K(j, j) = diagonal(j, p);
    for (Index i = j + 1; i < n; ++i) K(i, j) = pair(i, j, K(i, i), K(i, j), p);
  }
}

}  // namespace

void NetworkKernel::matrix(const Inputs& inputs, const Vector& theta, PaddedMatrix& K) const {
  const Network<0> network(architecture_, theta);
  fill_lower_triangle(
      inputs, K, [&](Index /*j*/, double p) { return network.variance({.value = p}).value; },
      [&](Index /*i*/, Index /*j*/, double p, double q, double other_p) {
        return network.covariance({.value = p}, {.value = q}, {.value = other_p}).value;
      });
}

// Entries below the diagonal are doubled, because they stand for both triangles. Entries above the
// diagonal and in the padding are zero.
void NetworkKernel::matrix_with_slopes(const Inputs& inputs, const Vector& theta, PaddedMatrix& K,
                                       KernelSlopes& slopes) const {
  const Network<2> network(architecture_, {.value = theta[0], .slopes = {1.0, 0.0}},
                           {.value = theta[1], .slopes = {0.0, 1.0}});
  for (PaddedMatrix* matrix : {&slopes.first, &slopes.second}) {
    matrix->resize(inputs.size(), inputs.size());
    matrix->set_zero();
  }
  const auto keep = [&](Index i, Index j, const Jet<2>& k, double count) {
    slopes.first(i, j) = count * k.slopes[0];
    slopes.second(i, j) = count * k.slopes[1];
    return k.value;
  };
  fill_lower_triangle(
      inputs, K, [&](Index j, double p) { return keep(j, j, network.variance({.value = p}), 1.0); },
      [&](Index i, Index j, double p, double q, double other_p) {
        return keep(i, j, network.covariance({.value = p}, {.value = q}, {.value = other_p}), 2.0);
      });
}

void NetworkKernel::theta_gradient(const Inputs& /*inputs*/, const Vector& /*theta*/,
                                   KernelSlopes& slopes, const Contraction& contract,
                                   Vector& gradient) const {
  gradient[0] = contract(slopes.first, nullptr);
  gradient[1] = contract(slopes.second, nullptr);
}

void NetworkKernel::encode(const Inputs& inputs, const Vector& /*theta*/,
                           PaddedMatrix& encoded) const {
  const Index dimension = inputs.dimension();
  encoded.resize(inputs.size(), dimension + 1);
  for (Index k = 0; k < dimension; ++k) {
    std::copy_n(inputs.X().column(k), encoded.padded_rows(), encoded.column(k));
  }
  mean_squares(encoded, dimension, encoded.column(dimension));
}

void NetworkKernel::append_encoded(std::span<const double> x, const Vector& /*theta*/,
                                   PaddedMatrix& encoded) const {
  const Index row = encoded.rows();
  const auto dimension = static_cast<Index>(x.size());
  encoded.grow(row + 1, dimension + 1);
  for (Index k = 0; k < dimension; ++k) encoded(row, k) = x[static_cast<std::size_t>(k)];
  encoded(row, dimension) = mean_square(x);
}

double NetworkKernel::variance(std::span<const double> x, const Vector& theta) const {
  const Network<0> network(architecture_, theta);
  return network.variance({.value = mean_square(x)}).value;
}

// The padding is the point 0, which has a finite covariance with every other point.
void NetworkKernel::covariances(const PaddedMatrix& encoded, std::span<const double> x,
                                const Vector& theta, double* k, PaddedMatrix* slopes) const {
  const auto dimension = static_cast<Index>(x.size());
  const Index padded = encoded.padded_rows();
  const double p = mean_square(x);
  const double* stored_p = encoded.column(dimension);
  scalar_products(
      encoded, dimension, 0, padded, [&](Index j) { return x[static_cast<std::size_t>(j)]; }, k);
  if (slopes == nullptr) {
    const Network<0> network(architecture_, theta);
    for (Index i = 0; i < padded; ++i) {
      k[i] = network.covariance({.value = p}, {.value = k[i]}, {.value = stored_p[i]}).value;
    }
    return;
  }
  const Network<2> network(architecture_, theta);
  for (Index i = 0; i < padded; ++i) {
    const Jet<2> covariance =
        network.covariance({.value = p, .slopes = {0.0, 1.0}},
                           {.value = k[i], .slopes = {1.0, 0.0}}, {.value = stored_p[i]});
    k[i] = covariance.value;
    (*slopes)(i, 0) = covariance.slopes[0];
    (*slopes)(i, 1) = covariance.slopes[1];
  }
}

// dk_i/dx_k = (x_ik dk_i/dq_i + 2 x_k dk_i/dp) / d.
void NetworkKernel::pull_back(const PaddedMatrix& encoded, std::span<const double> x,
                              const Vector& /*theta*/, const PaddedMatrix& slopes,
                              const WeightedGradients& gradients) const {
  const double factor = 1.0 / static_cast<double>(x.size());
  const auto pull = [&](const double* weights, std::span<double> gradient) {
    const auto weighted_sum = [&](auto&& term) {
      Packet sum{};
      for (Index i = 0; i < encoded.padded_rows(); i += kLanes) {
        sum += packet_at(weights + i) * term(i);
      }
      return numeric::sum_of_lanes(sum);
    };
    const double by_p = weighted_sum([&](Index i) { return packet_at(slopes.column(1) + i); });
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double* coordinates = encoded.column(static_cast<Index>(k));
      const double by_q = weighted_sum(
          [&](Index i) { return packet_at(coordinates + i) * packet_at(slopes.column(0) + i); });
      gradient[k] = (by_q + 2.0 * x[k] * by_p) * factor;
    }
  };
  pull(gradients.first_weights, gradients.first);
  pull(gradients.second_weights, gradients.second);
}

void NetworkKernel::add_variance_gradient(std::span<const double> x, const Vector& theta,
                                          std::span<double> gradient) const {
  const Network<1> network(architecture_, theta);
  const double by_p = network.variance({.value = mean_square(x), .slopes = {1.0}}).slopes[0];
  const double factor = 2.0 * by_p / static_cast<double>(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) gradient[k] += factor * x[k];
}

// `variances` holds p of the points until all covariances are computed.
void NetworkKernel::covariances_of_batch(const PaddedMatrix& encoded, const PaddedMatrix& points,
                                         const Vector& theta, PaddedMatrix& V,
                                         Vector& variances) const {
  const Network<0> network(architecture_, theta);
  const Index dimension = points.columns();
  const Index padded = V.padded_rows();
  mean_squares(points, dimension, variances.data());
  for (Index j = 0; j < encoded.rows(); ++j) {
    double* column = V.column(j);
    scalar_products(
        points, dimension, 0, padded, [&](Index k) { return encoded(j, k); }, column);
    const double other_p = encoded(j, dimension);
    for (Index i = 0; i < padded; ++i) {
      column[i] =
          network.covariance({.value = variances[i]}, {.value = column[i]}, {.value = other_p})
              .value;
    }
  }
  for (Index i = 0; i < padded; ++i) {
    variances[i] = network.variance({.value = variances[i]}).value;
  }
}

}  // namespace oscbo::gp
