#include "learners/posterior_mode.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "learners/fitter.hpp"
#include "learners/point_subset.hpp"

namespace oscbo::learners {
namespace {

// A dozen hyperparameters are known well enough from this many points, and a fit takes n^3.
constexpr Index kMostPoints = 150;

/// `count` of the numbers 0 .. n-1, the first among them.
std::vector<Index> evenly_spread(Index n, Index count) {
  std::vector<Index> numbers;
  for (Index i = 0; i < count; ++i) numbers.push_back(i * n / count);
  return numbers;
}

// Differences of a thousandth in log density do not matter.
constexpr numeric::BoxMinimiserSettings kSearch{
    .max_iterations = 30, .gradient_tolerance = 1e-3, .value_tolerance = 1e-3, .largest_step = 2.0};

/// Mean and standard deviation, 1 where all values are equal but for rounding of their mean: that
/// is the standard deviation of the observations that these are taken from.
gp::Affine units_of(const Vector& y) {
  constexpr double kRounding = 1e-14;
  const double mean = y.mean();
  const auto count = static_cast<double>(y.size());
  const double variance = (y.array() - mean).square().sum() / std::max(count - 1.0, 1.0);
  const double sd = std::sqrt(variance);
  return {.location = mean, .scale = sd > kRounding * y.cwiseAbs().maxCoeff() ? sd : 1.0};
}

}  // namespace

PosteriorMode::PosteriorMode(const Config& config, Index dimension)
    : prior_(config, dimension),
      objective_(gp::make_kernel(config.kernel), config.noise_variance),
      minimiser_(kSearch) {
  objective_.learn_noise();
  objective_.profile_affine_part();
  objective_.reserve(expected_points(config));
}

FittedModel PosteriorMode::find(const gp::Inputs& inputs, const Vector& y, const Vector& sides,
                                Vector& previous) {
  if (inputs.size() > kMostPoints) {
    const std::vector<Index> some = evenly_spread(inputs.size(), kMostPoints);
    return find(points_of(inputs, some), y(some), sides, previous);
  }
  look_at(inputs, y);
  prior_.set_sides(sides);
  const bool has_previous = previous.size() > 0;
  const double continued = has_previous ? climb(previous) : 0.0;
  Vector fresh = prior_.first();
  const double afresh = climb(fresh);
  if (!has_previous || afresh < continued) previous = fresh;
  return model_at(previous);
}

FittedModel PosteriorMode::keep(const gp::Inputs& inputs, const Vector& y,
                                const Vector& log_theta) {
  if (inputs.size() > kMostPoints) {
    const std::vector<Index> some = evenly_spread(inputs.size(), kMostPoints);
    return keep(points_of(inputs, some), y(some), log_theta);
  }
  look_at(inputs, y);
  return model_at(log_theta);
}

void PosteriorMode::look_at(const gp::Inputs& inputs, const Vector& y) {
  units_ = units_of(y);
  z_ = (y.array() - units_.location) / units_.scale;
  terms_ = gp::likelihood_terms(inputs.size());
  objective_.set_data(inputs, z_);
  objective_.set_terms(terms_);
}

FittedModel PosteriorMode::model_at(const Vector& log_theta) {
  const Vector theta = log_theta.array().exp();
  objective_.value(theta);
  const gp::Affine& affine = objective_.affine();
  return {.theta = theta.head(theta.size() - 1),
          .noise_variance = theta[theta.size() - 1],
          .affine = {.location = units_.location + units_.scale * affine.location,
                     .scale = units_.scale * affine.scale},
          .relative_scale = affine.scale};
}

double PosteriorMode::climb(Vector& log_theta) {
  const auto density = [this](const Vector& at, Vector& gradient) {
    const Vector theta = at.array().exp();
    const double value = objective_.value_and_gradient(theta, gradient);
    gradient.array() *= theta.array();
    return value + prior_.add_to(at, gradient);
  };
  const Vector lower = prior_.lower();
  const Vector upper = prior_.upper();
  log_theta = log_theta.cwiseMax(lower).cwiseMin(upper).eval();
  return minimiser_.minimise(density, lower, upper, log_theta);
}

}  // namespace oscbo::learners
