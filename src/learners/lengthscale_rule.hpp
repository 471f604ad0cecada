// Lengthscale rules: how a method chooses the lengthscales for its next query.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gp/lengthscale_objective.hpp"
#include "numeric/cloned.hpp"
#include "oscbo/config.hpp"

namespace oscbo::learners {

using gp::Index;
using gp::Vector;

/// What a rule may look at: all observations so far, in the order in which they were told.
struct Observations {
  const gp::Inputs& inputs;
  const Vector& y;                           // standardised
  Index initial_points = 0;                  // the first so many are the initial design
  gp::KnownNoise known_noise = {};           // standardised as well
  std::optional<Index> best = std::nullopt;  // to be improved on; none: the largest
  int pending = 0;                           // points that have been asked for and not yet told
};

/// A second Gaussian process on the same data that gives the standard deviation alone.
struct SpreadModel {
  Vector theta;
  bool includes_noise = false;  // the acquisition sees sqrt(variance + noise variance)
};

/// What a rule decides about the Gaussian process of one round.
struct ModelSettings {
  Vector theta = {};  // lengthscales, or whatever hyperparameters the kernel has
  std::optional<double> noise_variance = std::nullopt;  // when the rule learns it
  std::optional<double> multiplier = std::nullopt;      // of the sd in the confidence bound; none:
                                                        // sqrt(beta)
  std::optional<SpreadModel> spread = std::nullopt;
  std::vector<Index> points = {};  // the observations to condition on; empty: all
  Index base = 0;          // the model is grown from its first `base` points; 0: made at once
  gp::Affine affine = {};  // the model is of (y - location) / scale, and so is known noise
};

/// What became of a prediction. Numbers are in the standardised units in force when it was made.
struct PredictionFeedback {
  Index point = 0;                 // position in Observations
  std::vector<double> theta = {};  // that chose the point
  double variance = 0.0;           // latent
  double noise_variance = 0.0;
  double beta = 0.0;             // of the calibrated interval
  double multiplier = 0.0;       // of the sd in the confidence bound
  double dual_multiplier = 0.0;  // lambda, for rules that play the game
  double calibration_loss = 0.0;
};

class LengthscaleRule {
 public:
  LengthscaleRule() = default;
  LengthscaleRule(LengthscaleRule&&) = delete;
  LengthscaleRule& operator=(const LengthscaleRule&) = delete;
  LengthscaleRule& operator=(LengthscaleRule&&) = delete;
  virtual ~LengthscaleRule() = default;

  [[nodiscard]] virtual std::unique_ptr<LengthscaleRule> clone() const = 0;

  /// next_settings returns what to use for query `round` (1, 2, ...).
  virtual const ModelSettings& next_settings(const Observations& observations, int round) = 0;

  /// Feedback. Point indices are positions in Observations; beta is that of the intervals in force.
  virtual void observe_initial(Index /*point*/, double /*beta*/) {}
  virtual void observe_unasked(Index /*point*/, double /*beta*/) {}
  virtual void observe_prediction(const PredictionFeedback& /*feedback*/) {}

  /// What rules that play the game show of it; the others have nothing to show.
  [[nodiscard]] virtual std::optional<double> multiplier() const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<double> violation() const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<Phase> phase() const { return std::nullopt; }

  /// evaluations counts factorizations spent so far.
  [[nodiscard]] virtual int evaluations() const = 0;

 protected:
  LengthscaleRule(const LengthscaleRule&) = default;
};

using RuleHandle = numeric::Cloned<LengthscaleRule>;

}  // namespace oscbo::learners
