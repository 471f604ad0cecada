// Lengthscale problems for the tests of solvers and rules.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "gp/gp_test_support.hpp"
#include "gp/lengthscale_objective.hpp"
#include "learners/learner_options.hpp"
#include "learners/perturbed_objective.hpp"
#include "learners/registry.hpp"
#include "numeric/random_stream.hpp"
#include "online/game_options.hpp"

namespace oscbo::learners::test {

using gp::test::Data;

inline constexpr std::uint64_t kSeed = 5;
inline constexpr double kNoise = 0.01;
inline constexpr double kBeta = 2.0;

inline Vector one(double theta) { return Vector::Constant(1, theta); }

/// Typical data of an optimisation: standardised values of a smooth function at points of the unit
/// cube. If `clustered`, the later points are close together.
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

/// A numeric parameter, a categorical one with three categories, and a conditional one that is
/// active with the first category.
inline gp::Layout mixed_layout() {
  return gp::Layout(std::vector<gp::ParameterShape>{{gp::ParameterKind::numeric},
                                                    {gp::ParameterKind::categorical, 3},
                                                    {gp::ParameterKind::conditional}});
}

/// Points of mixed_layout and their values. Each category has its own height.
inline Data mixed_data(Index n) {
  numeric::RandomStream stream(1, numeric::Purpose::initial_design, 8);
  Data data{.X = gp::test::Matrix::Zero(n, mixed_layout().columns()), .y = Vector::Zero(n)};
  for (Index i = 0; i < n; ++i) {
    const double x = stream.uniform();
    const double u = stream.uniform();
    const auto category = static_cast<double>(stream.below(3));
    const bool is_active = category == 0.0;
    data.X.row(i).head(2) << x, category;
    if (is_active) data.X.row(i).tail(2) << std::cos(u), std::sin(u);
    data.y[i] = std::sin(4.0 * x) + (is_active ? std::cos(3.0 * u) : 0.7 * category - 1.0);
  }
  return data;
}

/// The terms of the paper's objective (Proposition 1) if all points have the same weights.
inline gp::ObjectiveTerms game_terms(Index n, double exponent, double sharpness_weight,
                                     double calibration_weight) {
  const double c = std::log1p(1.0 / kNoise);
  return {.log_pivot_weights = Vector::Constant(n, sharpness_weight / c),
          .residual_weights =
              Vector::Constant(n, calibration_weight * std::pow(kBeta, -0.5 * exponent)),
          .exponent = exponent};
}

/// An objective together with the data that it refers to. It must not be moved.
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

  PerturbedObjective perturbed(
      const Vector& eta = {},
      online::PrimalOptions::PerturbedSpace space = online::PrimalOptions::PerturbedSpace::theta,
      LearnerOptions::Transform transform = LearnerOptions::Transform::softplus) {
    return {J_, eta, space, Transform(transform)};
  }

 private:
  Data data_;
  gp::Inputs inputs_;
  gp::ObjectiveTerms terms_;
  gp::LengthscaleObjective J_;
};

/// Problem number `seed` of a varied family. The kernel, the exponent p, the number of points and
/// the dimension vary. The values are noise or those of a smooth function. In some problems, half
/// of the points are close together.
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

/// next_settings asks the rule for the settings of a round, given all of the data.
inline ModelSettings next_settings(RuleHandle& rule, const Data& data, int round,
                                   gp::KnownNoise known_noise = {}, int pending = 0) {
  const gp::Inputs inputs = data.inputs();
  return rule->next_settings({.inputs = inputs,
                              .y = data.y,
                              .initial_points = data.y.size(),
                              .known_noise = known_noise,
                              .pending = pending},
                             round);
}

/// With this configuration, a model of more than `after` points is refitted when their number has
/// grown by a tenth.
inline Config growing_by_a_tenth(int after) {
  Config config;
  config.edit<RefitOptions>() = {.growth = 0.1, .after = after};
  return config;
}

/// Known noise with this variance for every `step`-th of n observations.
inline std::vector<double> known_noise(Index n, double variance, Index step = 1) {
  std::vector<double> noise;
  for (Index i = 0; i < n; ++i) {
    noise.push_back(i % step == 0 ? variance : std::numeric_limits<double>::quiet_NaN());
  }
  return noise;
}

/// first_settings asks a new rule for its settings.
inline ModelSettings first_settings(const Config& config, const Data& data, std::uint64_t seed,
                                    int round = 1) {
  RuleHandle rule = make_rule(config, gp::Layout::plain(data.X.cols()), seed);
  return next_settings(rule, data, round);
}

/// A second implementation of the spread of scgp (spread_objective.hpp). The last points of the
/// data, one for each residual, are held out. Their variances are conditioned on the other points
/// and include noise.
class DenseSpread {
 public:
  DenseSpread(const Data& data, gp::KernelShape shape, const Vector& theta, double noise,
              const Vector& residuals) {
    const Index n = data.X.rows() - residuals.size();
    const Eigen::LDLT<gp::test::Matrix> A(data.gram(n, shape, theta, noise));
    for (Index i = 0; i < residuals.size(); ++i) {
      const Vector k = data.covariance(n, shape, theta, data.point(n + i));
      variances_.push_back(1.0 - k.dot(A.solve(k)) + noise);
      ratios_.push_back(residuals[i] / std::sqrt(variances_.back()));
    }
  }

  /// order returns the calibration points by ascending ratio.
  [[nodiscard]] std::vector<Index> order() const {
    std::vector<Index> order(ratios_.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return ratio(a) < ratio(b); });
    return order;
  }

  /// linear and conformal return the (1 - delta)-quantile of the ratios.
  [[nodiscard]] double linear(double delta) const {
    const double position = (1.0 - delta) * static_cast<double>(ratios_.size() - 1);
    const auto rank = static_cast<std::size_t>(position);
    const double low = ranked(rank);
    const double high = ranked(std::min(rank + 1, ratios_.size() - 1));
    return low + (position - static_cast<double>(rank)) * (high - low);
  }
  [[nodiscard]] double conformal(double delta) const {
    const double wanted = std::ceil((1.0 - delta) * static_cast<double>(ratios_.size() + 1));
    return ranked(std::min(static_cast<std::size_t>(wanted), ratios_.size()) - 1);
  }

  /// objective returns mean_i (beta sigma_i)^2.
  [[nodiscard]] double objective(double beta) const {
    double sum = 0.0;
    for (const double variance : variances_) sum += beta * beta * variance;
    return sum / static_cast<double>(variances_.size());
  }

 private:
  [[nodiscard]] double ratio(Index i) const { return ratios_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] double ranked(std::size_t rank) const { return ratio(order()[rank]); }

  std::vector<double> variances_;
  std::vector<double> ratios_;
};

}  // namespace oscbo::learners::test
