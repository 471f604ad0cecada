// Acquisition functions. They depend only on the posterior mean and the latent variance (without
// noise) at a point. Therefore each takes a few lines of code, and the maximiser computes gradients
// with respect to x by the chain rule.
//
// An acquisition is a plain value. It holds the numbers of one round (the best value so far, the
// multiplier of the sd), so each round creates its own. Below, f is the latent value, `u` is
// (mean - best) / sd, and phi and Phi are the standard normal density and distribution function.
#pragma once

#include <variant>

#include "acquisition/acquisition_options.hpp"
#include "prediction/predictor.hpp"

namespace oscbo::acquisition {

struct AcquisitionValue {
  double value = 0.0;
  double mean_slope = 0.0;      // d value / d mean
  double variance_slope = 0.0;  // d value / d variance
};

/// Upper confidence bound mean + multiplier sqrt(variance + added_variance). The multiplier is
/// sqrt(beta) unless the method chooses another one, which may be negative. `variance` is latent.
/// `added_variance` is the noise variance if the multiplier was calibrated for observations, and 0
/// otherwise.
struct UpperConfidenceBound {
  double multiplier = 0.0;
  double added_variance = 0.0;

  [[nodiscard]] AcquisitionValue at(const prediction::Moments& moments) const;
};

/// Expected improvement E max(f - best, 0) = sd h(u), h(u) = phi(u) + u Phi(u).
struct ExpectedImprovement {
  double best = 0.0;

  [[nodiscard]] AcquisitionValue at(const prediction::Moments& moments) const;
};

/// The logarithm of the expected improvement, log sd + log h(u). It still has a slope where the
/// improvement itself underflows.
struct LogExpectedImprovement {
  double best = 0.0;

  [[nodiscard]] AcquisitionValue at(const prediction::Moments& moments) const;
};

/// Probability of improvement P(f > best) = Phi(u).
struct ProbabilityOfImprovement {
  double best = 0.0;

  [[nodiscard]] AcquisitionValue at(const prediction::Moments& moments) const;
};

using Acquisition = std::variant<UpperConfidenceBound, ExpectedImprovement, LogExpectedImprovement,
                                 ProbabilityOfImprovement>;

/// value_at returns the value and slopes of the acquisition at a point with these moments.
[[nodiscard]] AcquisitionValue value_at(const Acquisition& acquisition,
                                        const prediction::Moments& moments);

/// The parameters of acquisition functions. Each function uses those that it needs.
struct AcquisitionParameters {
  double multiplier = 0.0;
  double added_variance = 0.0;
  double best = 0.0;  // largest value so far
};

/// make_acquisition returns the function of this kind. Throws Error (internal) for a kind that is
/// not a function of the moments at one point: thompson, random or sobol.
[[nodiscard]] Acquisition make_acquisition(AcquisitionOptions::Kind kind,
                                           const AcquisitionParameters& parameters);

}  // namespace oscbo::acquisition
