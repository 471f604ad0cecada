// Acquisition functions of the posterior moments at a point. Being functions of mean and latent
// variance alone, each is a few lines, and the maximiser gets gradients in x by the chain rule.
//
// An acquisition is a plain value: what a round knows (the best value so far, the multiplier of the
// sd) is in it, so each round makes its own. `u` below is (mean - best) / sd.
#pragma once

#include <variant>

#include "oscbo/config.hpp"
#include "prediction/predictor.hpp"

namespace oscbo::acquisition {

struct AcquisitionValue {
  double value = 0.0;
  double mean_slope = 0.0;      // d value / d mean
  double variance_slope = 0.0;  // d value / d variance
};

/// Upper confidence bound mean + multiplier sqrt(variance + added_variance). The multiplier is
/// sqrt(beta) where a beta is given; it may be negative. The variance is latent: a width that was
/// calibrated for observations adds that of the noise.
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

/// The logarithm of the expected improvement, ln sd + log h(u), which still has a slope where the
/// improvement itself is too small to be represented.
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

/// value_at returns value and slopes of the acquisition at a point with these moments.
[[nodiscard]] AcquisitionValue value_at(const Acquisition& acquisition,
                                        const prediction::Moments& moments);

/// What acquisition functions depend on besides the moments; each takes what it needs.
struct AcquisitionParameters {
  double multiplier = 0.0;
  double added_variance = 0.0;
  double best = 0.0;  // largest value so far
};

/// make_acquisition returns the function that `kind` names. Throws Error (internal) for a kind that
/// is not a function of the moments at one point: thompson, random, sobol.
[[nodiscard]] Acquisition make_acquisition(AcquisitionKind kind,
                                           const AcquisitionParameters& parameters);

}  // namespace oscbo::acquisition
