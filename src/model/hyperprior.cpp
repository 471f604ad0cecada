#include "model/hyperprior.hpp"

#include <algorithm>
#include <cmath>

#include "gp/kernel_options.hpp"
#include "learners/learner_options.hpp"
#include "learners/prior_options.hpp"

namespace oscbo::model {
namespace {

struct Normal {
  double mean;
  double sd;

  /// add_to adds the slope of (x - mean)^2 / (2 sd^2) to `slope` and returns the value.
  double add_to(double x, double& slope) const {
    const double u = (x - mean) / sd;
    slope += u / sd;
    return 0.5 * u * u;
  }
};

constexpr Normal kSingleLengthscale{.mean = -1.5, .sd = 0.7};
constexpr Normal kWeight{.mean = 0.0, .sd = 3.0};
constexpr Normal kNoise{.mean = -8.0, .sd = 4.0};

constexpr double kNoiseFloor = 1e-10;
constexpr double kNoiseCeiling = 1e2;
constexpr double kLargestWeight = 1e6;

}  // namespace

Hyperprior::Hyperprior(const Config& config, Index parameters)
    : config_(config.get<learners::PriorOptions>()),
      additive_(config.get<gp::KernelOptions>().additive),
      parameters_(parameters),
      size_(gp::parameter_count(config.get<gp::KernelOptions>(), parameters) + 1),
      lower_(Vector::Constant(size_, std::log(config.get<learners::LearnerOptions>().theta_min))),
      upper_(Vector::Constant(size_, std::log(config.get<learners::LearnerOptions>().theta_max))),
      shift_(Vector::Zero(size_)) {
  const bool learned =
      config.get<learners::PriorOptions>().noise == learners::PriorOptions::Noise::learned;
  lower_[size_ - 1] = std::log(learned ? kNoiseFloor : config.noise_variance);
  upper_[size_ - 1] = std::log(learned ? kNoiseCeiling : config.noise_variance);
  if (additive_) {
    lower_[size_ - 2] = -std::log(kLargestWeight);
    upper_[size_ - 2] = std::log(kLargestWeight);
  }
}

void Hyperprior::set_sides(const Vector& sides) {
  shift_.head(parameters_) = sides.array().log();
  if (additive_) shift_.segment(parameters_, parameters_) = shift_.head(parameters_);
}

// The start is shorter than the mode of the prior, so that a fit can move in either direction.
Vector Hyperprior::first() const {
  constexpr double kFirstLengthscale = 0.5;
  constexpr double kFirstNoise = 1e-4;
  Vector log_theta = Vector::Constant(size_, std::log(kFirstLengthscale));
  log_theta.head(parameters_).array() += 0.25 * std::log(static_cast<double>(parameters_));
  if (additive_) log_theta[size_ - 2] = kWeight.mean;
  log_theta[size_ - 1] = std::log(kFirstNoise);
  return log_theta.cwiseMax(lower_).cwiseMin(upper_) + shift_;
}

double Hyperprior::add_to(const Vector& entries, Vector& gradient) const {
  const Vector log_theta = entries.head(size_) - shift_;
  const auto d = static_cast<double>(parameters_);
  const Normal mean_lengthscale{.mean = config_.location + 0.5 * std::log(d), .sd = config_.scale};
  const double mean = log_theta.head(parameters_).mean();
  double slope = 0.0;
  double value = mean_lengthscale.add_to(mean, slope);
  for (Index k = 0; k < parameters_; ++k) {
    gradient[k] += slope / d;
    value += Normal{.mean = mean, .sd = config_.deviation}.add_to(log_theta[k], gradient[k]);
  }
  if (additive_) {
    for (Index k = parameters_; k < 2 * parameters_; ++k) {
      value += kSingleLengthscale.add_to(log_theta[k], gradient[k]);
    }
    value += kWeight.add_to(log_theta[size_ - 2], gradient[size_ - 2]);
  }
  return value + kNoise.add_to(log_theta[size_ - 1], gradient[size_ - 1]);
}

}  // namespace oscbo::model
