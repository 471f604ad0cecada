// Lengthscale rules: how a method chooses the lengthscales for its next query.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gp/lengthscale_objective.hpp"
#include "numeric/cloned.hpp"
#include "oscbo/prediction.hpp"

namespace oscbo::learners {

using gp::Index;
using gp::Vector;

/// The input of a rule: all observations so far, in the order of their tells.
struct Observations {
  const gp::Inputs& inputs;
  const Vector& y;                           // standardised
  Index initial_points = 0;                  // size of the initial design, which comes first
  gp::KnownNoise known_noise = {};           // standardised as well
  std::optional<Index> best = std::nullopt;  // the observation to improve on; none: the largest
  int pending = 0;                           // points that have been asked but not yet told
};

/// A second Gaussian process on the same data. It gives only the standard deviation.
struct SpreadModel {
  Vector theta;
  bool includes_noise = false;  // the acquisition sees sqrt(variance + noise variance)
};

/// The decisions of a rule about the Gaussian process of one round.
struct ModelSettings {
  Vector theta = {};  // lengthscales, or the other hyperparameters of the kernel
  std::optional<double> noise_variance = std::nullopt;  // if the rule learns it
  std::optional<double> multiplier = std::nullopt;      // of the sd in the confidence bound; none:
                                                        // sqrt(beta)
  std::optional<SpreadModel> spread = std::nullopt;
  std::vector<Index> points = {};  // the observations to condition on; empty: all
  /// The first `base` points are factorized at once, and the others are added one by one. 0: all
  /// points are factorized at once.
  Index base = 0;
  gp::Affine affine = {};  // the model is fitted to (y - location) / scale
};

/// What a rule learns about a prediction once the value is known. Numbers are in the standardised
/// units at the time of the prediction.
struct PredictionFeedback {
  Index point = 0;                 // position in Observations
  std::vector<double> theta = {};  // Prediction::lengthscales
  double variance = 0.0;           // latent
  double noise_variance = 0.0;
  double beta = 0.0;             // of the calibrated interval
  double multiplier = 0.0;       // of the sd in the confidence bound
  double dual_multiplier = 0.0;  // lambda, for rules that play the game (online/play_recovery.hpp)
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

  /// next_settings returns the settings for round `round` (1, 2, ...).
  virtual const ModelSettings& next_settings(const Observations& observations, int round) = 0;

  /// These functions give feedback to the rule when a value is told. observe_initial is for a value
  /// before the first round, observe_unasked for a later value that had no prediction, and
  /// observe_prediction for a value that had one. Point indices are positions in Observations, and
  /// beta is the current beta of the intervals.
  virtual void observe_initial(Index /*point*/, double /*beta*/) {}
  virtual void observe_unasked(Index /*point*/, double /*beta*/) {}
  virtual void observe_prediction(const PredictionFeedback& /*feedback*/) {}

  /// The state of the game between sharpness and calibration (online/play_recovery.hpp), for rules
  /// that play it. Other rules return nothing. multiplier returns the dual multiplier lambda, not
  /// the multiplier of the sd.
  [[nodiscard]] virtual std::optional<double> multiplier() const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<double> violation() const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<Phase> phase() const { return std::nullopt; }

  /// evaluations returns the number of factorizations so far.
  [[nodiscard]] virtual int evaluations() const = 0;

 protected:
  LengthscaleRule(const LengthscaleRule&) = default;
};

using RuleHandle = numeric::Cloned<LengthscaleRule>;

}  // namespace oscbo::learners
