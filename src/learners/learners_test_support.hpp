// Lengthscale problems for the tests of solvers and rules.
#pragma once

#include <cmath>
#include <utility>

#include "gp/gp_test_support.hpp"
#include "gp/lengthscale_objective.hpp"
#include "learners/perturbed_objective.hpp"
#include "numeric/random_stream.hpp"

namespace oscbo::learners::test {

using gp::test::Data;

inline constexpr double kNoise = 0.01;
inline constexpr double kBeta = 2.0;

inline Vector one(double theta) { return Vector::Constant(1, theta); }

/// What an optimisation sees: standardised values of a smooth function at points of the unit cube,
/// the later ones close together when `clustered`.
inline Data smooth_data(Index n, Index d, std::uint64_t seed, bool clustered = false) {
  numeric::RandomStream stream(seed, numeric::Purpose::initial_design, 5);
  Data data;
  data.X = gp::test::Matrix::NullaryExpr(n, d, [&] { return stream.uniform(); });
  if (clustered) data.X.bottomRows(n / 2) = (0.1 * data.X.bottomRows(n / 2)).array() + 0.45;
  const Vector frequencies = Vector::NullaryExpr(d, [&] { return 1.0 + 8.0 * stream.uniform(); });
  data.y = (data.X * frequencies.asDiagonal()).array().sin().matrix().rowwise().sum();
  data.y.array() -= data.y.mean();
  data.y /= std::sqrt(data.y.squaredNorm() / static_cast<double>(n - 1));
  return data;
}

/// The terms of the paper's objective (Proposition 1) when all points have the same weights.
inline gp::ObjectiveTerms game_terms(Index n, double exponent, double sharpness_weight,
                                     double calibration_weight) {
  const double c = std::log1p(1.0 / kNoise);
  return {.log_pivot_weights = Vector::Constant(n, sharpness_weight / c),
          .residual_weights =
              Vector::Constant(n, calibration_weight * std::pow(kBeta, -0.5 * exponent)),
          .exponent = exponent};
}

/// An objective together with all that it refers to; stays where it is built.
class Problem {
 public:
  Problem(Data data, gp::KernelShape shape, gp::ObjectiveTerms terms)
      : data_(std::move(data)),
        inputs_(data_.inputs()),
        terms_(std::move(terms)),
        J_(gp::stationary_kernel(shape), kNoise) {
    J_.set_data(inputs_, data_.y);
    J_.set_terms(terms_);
  }

  gp::LengthscaleObjective& J() { return J_; }

  PerturbedObjective perturbed(const Vector& eta = {}, PerturbedSpace space = PerturbedSpace::theta,
                               ThetaTransform transform = ThetaTransform::softplus) {
    return {J_, eta, space, Transform(transform)};
  }

 private:
  Data data_;
  gp::Inputs inputs_;
  gp::ObjectiveTerms terms_;
  gp::LengthscaleObjective J_;
};

/// Problem number `seed` of a varied family: kernel, p, size, dimension, and whether the values are
/// those of a smooth function, of one seen mostly in one place, or noise.
inline Problem varied_problem(std::uint64_t seed, Index max_dimension = 4) {
  const auto shape = static_cast<gp::KernelShape>(seed % 4);
  const double exponent = seed / 4 % 2 == 0 ? 2.0 : 1.0;
  numeric::RandomStream stream(seed, numeric::Purpose::initial_design, 6);
  const auto n = static_cast<Index>(4 + stream.below(21));
  const auto d = static_cast<Index>(1 + stream.below(static_cast<std::size_t>(max_dimension)));
  const std::uint64_t kind = seed / 8 % 3;
  Data data = smooth_data(n, d, seed, kind == 1);
  if (kind == 2) data.y = Vector::NullaryExpr(n, [&] { return stream.normal(); });
  return {std::move(data), shape, game_terms(n, exponent, 1.0, 0.433358)};
}

}  // namespace oscbo::learners::test
