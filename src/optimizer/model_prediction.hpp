// A prediction in the model's units, and its losses once the value is observed.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "gp/posterior.hpp"
#include "optimizer/standardizer.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo {

/// A prediction in the model's own units, kept until its observation arrives.
struct ModelPrediction {
  gp::Moments moments;
  double noise_variance = 0.0;
  double prior_variance = 1.0;                             // of the function, before any data
  double acquisition = 0.0;                                // value of the acquisition function
  double log_improvement = 0.0;                            // log of the expected improvement
  double beta = 0.0;                                       // of the calibrated interval
  double multiplier = 0.0;                                 // of the sd in the confidence bound
  std::optional<double> information_bound = std::nullopt;  // of width=theory
  Standardizer standardizer;

  /// with_noise returns the same prediction for an observation with another noise variance.
  /// `variance` is in the units of the observations.
  [[nodiscard]] ModelPrediction with_noise(double variance) const {
    ModelPrediction result = *this;
    result.noise_variance = std::max(standardizer.variance_to_z(variance), gp::kMinimumVariance);
    return result;
  }

  [[nodiscard]] double observation_sd() const {
    return std::sqrt(moments.variance + noise_variance);
  }
};

/// judge returns the losses of a prediction once y is known. It first converts mu, var and y to the
/// standardised units of `scale`. The caller computes the violation.
///
///   L^s = log(1 + var/s2) / log(1 + prior var/s2)
///   L^c = |y - mu|^p / (sqrt(beta) sqrt(var + s2))^p - 1
///
/// mu and var are the predicted mean and variance, s2 is the noise variance, and p is `exponent`.
[[nodiscard]] Feedback judge(const ModelPrediction& prediction, double y, const Standardizer& scale,
                             double exponent);

}  // namespace oscbo
