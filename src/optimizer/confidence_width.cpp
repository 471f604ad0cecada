#include "optimizer/confidence_width.hpp"

#include <algorithm>
#include <cmath>

#include "gp/kernel_cover.hpp"

namespace oscbo {

using gp::Index;
using gp::Vector;

namespace {

/// The lengthscales at which the information gain is looked at. It grows as they shrink, so that
/// the shortest one decides; the others guard against the greedy design doing worse there.
std::vector<double> lengthscales_of(const Config& config) {
  if (config.learner.rule == "fixed") return {config.kernel.lengthscale};
  const double low = config.learner.theta_min;
  const double high = config.learner.theta_max;
  return {low, std::sqrt(low * high), high};
}

}  // namespace

ConfidenceWidth::ConfidenceWidth(const Config& config, Index dimension) : config_(config) {
  if (config.width.kind == WidthKind::constant) return;
  const gp::KernelHandle kernel = gp::make_kernel(config.kernel);
  for (const double lengthscale : lengthscales_of(config)) {
    gains_.emplace_back(
        kernel, dimension, config.noise_variance,
        Vector::Constant(gp::parameter_count(config.kernel, dimension), lengthscale));
  }
  if (config.learner.rule == "fixed") return;
  log_cover_ = gp::log_covering_number(config.kernel, dimension, config.learner.theta_min,
                                       config.learner.theta_max, std::pow(config.budget, -4.0));
}

std::optional<double> ConfidenceWidth::information_bound(Index observations) {
  if (gains_.empty()) return std::nullopt;
  double largest = 0.0;
  for (gp::InformationGain& gain : gains_) {
    largest = std::max(largest, gain.upper_bound(observations));
  }
  return largest;
}

double ConfidenceWidth::beta(Index observations) {
  const std::optional<double> information = information_bound(observations);
  if (!information) return config_.beta;
  const double noise_ratio = config_.width.noise_bound / std::sqrt(config_.noise_variance);
  const double root =
      config_.width.norm_bound +
      noise_ratio *
          std::sqrt(2.0 * (*information + 1.0 + std::log(6.0 / config_.delta) + log_cover_));
  return root * root;
}

}  // namespace oscbo
