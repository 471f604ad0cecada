#include "model/posterior_mode.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gp/kernel_options.hpp"
#include "learners/fitter.hpp"
#include "learners/point_subset.hpp"

namespace oscbo::model {
namespace {

// This many points determine a dozen hyperparameters well enough, and a fit takes n^3 operations.
constexpr Index kMostPoints = 150;

/// evenly_spread returns `count` of the numbers 0 .. n-1, evenly spread and including 0.
std::vector<Index> evenly_spread(Index n, Index count) {
  std::vector<Index> numbers;
  for (Index i = 0; i < count; ++i) numbers.push_back(i * n / count);
  return numbers;
}

// Differences of a thousandth in log density are irrelevant.
constexpr numeric::BoxMinimiserSettings kSearch{
    .max_iterations = 30, .gradient_tolerance = 1e-3, .value_tolerance = 1e-3, .largest_step = 2.0};

// The largest log scale of the model, in standard deviations of the observations: log(10000).
constexpr double kLargestLogScale = 9.2;

/// units_of returns mean and standard deviation. If all values are equal up to rounding of their
/// mean, it replaces the standard deviation by 1, which is that of all standardised observations.
gp::Affine units_of(const Vector& y) {
  constexpr double kRounding = 1e-14;
  const double mean = y.mean();
  const auto count = static_cast<double>(y.size());
  const double variance = (y.array() - mean).square().sum() / std::max(count - 1.0, 1.0);
  const double sd = std::sqrt(variance);
  return {.location = mean, .scale = sd > kRounding * y.cwiseAbs().maxCoeff() ? sd : 1.0};
}

}  // namespace

PosteriorMode::PosteriorMode(const Config& config, const gp::Layout& layout, AffinePart affine)
    : learns_affine_(affine == AffinePart::learned),
      prior_(config, layout.parameters()),
      objective_(gp::make_kernel(config.get<gp::KernelOptions>(), layout), config.noise_variance),
      minimiser_(kSearch) {
  objective_.learn_noise();
  if (learns_affine_) objective_.profile_affine_part();
  objective_.reserve(learners::expected_points(config));
}

FittedModel PosteriorMode::find(const Observations& observations, const Vector& sides,
                                Vector& previous) {
  if (const Index n = observations.inputs.size(); n > kMostPoints) {
    const learners::ObservationSubset some(observations, evenly_spread(n, kMostPoints));
    return find(some.get(), sides, previous);
  }
  look_at(observations);
  prior_.set_sides(sides);
  const bool has_previous = previous.size() > 0;
  const double continued = has_previous ? climb(previous) : 0.0;
  Vector fresh = prior_.first();
  const double afresh = climb(fresh);
  if (!has_previous || afresh < continued) previous = fresh;
  return model_at(previous);
}

FittedModel PosteriorMode::keep(const Observations& observations, const Vector& log_theta) {
  if (const Index n = observations.inputs.size(); n > kMostPoints) {
    const learners::ObservationSubset some(observations, evenly_spread(n, kMostPoints));
    return keep(some.get(), log_theta);
  }
  look_at(observations);
  return model_at(log_theta);
}

void PosteriorMode::look_at(const Observations& observations) {
  units_ = learns_affine_ ? units_of(observations.y) : gp::Affine{};
  z_ = (observations.y.array() - units_.location) / units_.scale;
  noise_ = gp::noise_in_units(observations.known_noise, units_.scale);
  terms_ = gp::likelihood_terms(observations.inputs.size());
  objective_.set_data(observations.inputs, z_, noise_);
  objective_.set_terms(terms_);
}

/// extended returns the entries of the prior and, if the scale is searched for, its logarithm. That
/// is the one in `log_theta`, or `log_scale` if there is none.
Vector PosteriorMode::extended(const Vector& log_theta, double log_scale) const {
  Vector result(prior_.size() + (searches_scale() ? 1 : 0));
  result.head(prior_.size()) = log_theta.head(prior_.size());
  if (searches_scale()) {
    result[prior_.size()] = log_theta.size() > prior_.size() ? log_theta[prior_.size()] : log_scale;
  }
  return result;
}

FittedModel PosteriorMode::model_at(const Vector& log_theta) {
  const Vector theta = extended(log_theta, 0.0).array().exp();
  objective_.value(theta);
  const gp::Affine& affine = objective_.affine();
  return {.theta = theta.head(prior_.size() - 1),
          .noise_variance = theta[prior_.size() - 1],
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
  const Vector lower = extended(prior_.lower(), -kLargestLogScale);
  const Vector upper = extended(prior_.upper(), kLargestLogScale);
  log_theta = extended(log_theta, 0.0).cwiseMax(lower).cwiseMin(upper).eval();
  return minimiser_.minimise(density, lower, upper, log_theta);
}

}  // namespace oscbo::model
