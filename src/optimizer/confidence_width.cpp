#include "optimizer/confidence_width.hpp"

#include <algorithm>
#include <cmath>

#include "gp/kernel_cover.hpp"
#include "gp/kernel_options.hpp"
#include "learners/learner_options.hpp"
#include "model/registry.hpp"
#include "online/width_options.hpp"

namespace oscbo {

using gp::Index;
using gp::Vector;

namespace {

/// thetas_of returns the hyperparameters at which the information gain is computed. The gain grows
/// as lengthscales shrink, so the shortest ones decide. The others guard against a greedy design
/// that does worse there.
std::vector<Vector> thetas_of(const Config& config, Index dimension) {
  if (model::model_of(config).traits.kernel_is_known)
    return {gp::given_theta(config.get<gp::KernelOptions>(), dimension)};
  const auto& learner = config.get<learners::LearnerOptions>();
  const double low = learner.theta_min;
  const double high = learner.theta_max;
  std::vector<Vector> thetas;
  for (const double lengthscale : {low, std::sqrt(low * high), high}) {
    thetas.emplace_back(Vector::Constant(
        gp::parameter_count(config.get<gp::KernelOptions>(), dimension), lengthscale));
  }
  return thetas;
}

}  // namespace

ConfidenceWidth::ConfidenceWidth(const Config& config, Index dimension) : config_(config) {
  if (config.get<online::WidthOptions>().kind == online::WidthOptions::Kind::constant) return;
  const gp::KernelHandle kernel =
      gp::make_kernel(config.get<gp::KernelOptions>(), gp::Layout::plain(dimension));
  for (const Vector& theta : thetas_of(config, dimension)) {
    gains_.emplace_back(kernel, dimension, config.noise_variance, theta);
  }
  if (model::model_of(config).traits.kernel_is_known) return;
  const auto& learner = config.get<learners::LearnerOptions>();
  log_cover_ =
      gp::log_covering_number(config.get<gp::KernelOptions>(), dimension, learner.theta_min,
                              learner.theta_max, std::pow(config.budget, -4.0));
}

std::optional<double> ConfidenceWidth::information_bound(Index observations, double realised_gain) {
  if (gains_.empty()) return std::nullopt;
  double largest = realised_gain;
  for (gp::InformationGain& gain : gains_) {
    largest = std::max(largest, gain.upper_bound(observations));
  }
  return largest;
}

double ConfidenceWidth::beta(Index observations, double realised_gain) {
  const std::optional<double> information = information_bound(observations, realised_gain);
  if (!information) return config_.beta;
  const auto& width = config_.get<online::WidthOptions>();
  const double noise_ratio = width.noise_bound / std::sqrt(config_.noise_variance);
  const double root =
      width.norm_bound +
      noise_ratio *
          std::sqrt(2.0 * (*information + 1.0 + std::log(6.0 / config_.delta) + log_cover_));
  return root * root;
}

}  // namespace oscbo
