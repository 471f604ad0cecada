// File: oscbo/prediction.hpp
//
// The prediction of a model before a value is known, and the losses once it is known.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "oscbo/record_fields.hpp"

namespace oscbo {

/// The part of the paper's Algorithm 1 that is running.
enum class Phase { play, recovery };

[[nodiscard]] std::string_view to_string(Phase phase) noexcept;

/// The prediction at a point before its value was known, in the units of the observations.
struct Prediction {
  double mean = 0.0;
  double sd = 0.0;     // of the latent function
  double width = 0.0;  // of the calibrated interval: 2 sqrt(beta) sqrt(variance + noise variance)
  double observation_sd = 0.0;  // of an observation: sqrt(variance + noise variance)
  double beta = 0.0;            // in force: the interval is mean +- sqrt(beta) observation_sd
  double acquisition = 0.0;     // acquisition value, standardised units
  std::vector<double> lengthscales = {};  // of scaled inputs: a single one, or one per parameter
  std::optional<double> multiplier =
      std::nullopt;                           // lambda in force; none for methods without a game
  std::optional<Phase> phase = std::nullopt;  // none unless `oscbo` or `oscbo-l1`
  double jitter = 0.0;            // added to the diagonal so that the factorization succeeded
  int objective_evaluations = 0;  // factorizations spent on the lengthscales for this point
};

/// How a prediction turned out once its value was observed.
struct Feedback {
  bool covered = false;           // |y - mean| <= width / 2
  double sharpness_loss = 0.0;    // L^s in the paper; in [0, 1] if the prior variance is 1
  double calibration_loss = 0.0;  // L^c in the paper; at most 0 when covered
  double violation = 0.0;         // V: sum of calibration losses up to and including this one
};

/// What is known about a quantity at a point. A quantity is an objective, or an outcome that the
/// space declares.
struct QuantityRecord {
  std::optional<double> value = std::nullopt;
  std::optional<double> variance = std::nullopt;        // of the value, where it was told
  std::optional<Prediction> prediction = std::nullopt;  // before the value was known
  std::optional<Feedback> feedback = std::nullopt;      // for trials of an Optimizer only
};

/// How many objectives and outcomes there are. Quantities are numbered from 0: first the
/// objectives, then the outcomes.
struct Quantities {
  std::size_t objectives = 1;
  std::size_t outcomes = 0;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return objectives + outcomes; }
  [[nodiscard]] constexpr bool is_objective(std::size_t quantity) const noexcept {
    return quantity < objectives;
  }

  /// of_outcome returns the index of an outcome among the quantities. outcome_of is its inverse.
  [[nodiscard]] constexpr std::size_t of_outcome(std::size_t outcome) const noexcept {
    return objectives + outcome;
  }
  [[nodiscard]] constexpr std::size_t outcome_of(std::size_t quantity) const noexcept {
    return quantity - objectives;
  }

  /// check throws Error (unknown_name) if there is no such quantity.
  void check(std::size_t quantity) const;
};

template <class SomeTrial>
[[nodiscard]] Quantities quantities_of(const SomeTrial& trial) {
  return {.objectives = trial.objectives.size(), .outcomes = trial.outcomes.size()};
}

/// quantity_of returns the record of a quantity of a trial. Throws Error (unknown_name) if the
/// trial has no such quantity.
template <class SomeTrial>
[[nodiscard]] auto& quantity_of(SomeTrial& trial, std::size_t quantity) {
  const Quantities all = quantities_of(trial);
  all.check(quantity);
  return all.is_objective(quantity) ? trial.objectives[quantity]
                                    : trial.outcomes[all.outcome_of(quantity)];
}

/// A new field of a prediction needs a column in the database. To create the column, add a step to
/// src/storage/schema.cpp.
template <>
struct RecordFields<Prediction> {
  static constexpr std::string_view kName = "Prediction";
  static constexpr std::tuple kList = {
      Field("mean", &Prediction::mean),
      Field("sd", &Prediction::sd),
      Field("width", &Prediction::width),
      Field("observation_sd", &Prediction::observation_sd),
      Field("beta", &Prediction::beta),
      Field("acquisition", &Prediction::acquisition),
      Field("lengthscales", &Prediction::lengthscales),
      Field("multiplier", &Prediction::multiplier),
      Field("phase", &Prediction::phase),
      Field("jitter", &Prediction::jitter),
      Field("objective_evaluations", "evaluations", &Prediction::objective_evaluations)};
};

template <>
struct RecordFields<Feedback> {
  static constexpr std::string_view kName = "Feedback";
  static constexpr std::tuple kList = {Field("covered", &Feedback::covered),
                                       Field("sharpness_loss", &Feedback::sharpness_loss),
                                       Field("calibration_loss", &Feedback::calibration_loss),
                                       Field("violation", &Feedback::violation)};
};

template <>
struct RecordFields<QuantityRecord> {
  static constexpr std::string_view kName = "QuantityRecord";
  static constexpr std::tuple kList = {Field("value", &QuantityRecord::value),
                                       Field("variance", &QuantityRecord::variance),
                                       Field("prediction", &QuantityRecord::prediction),
                                       Field("feedback", &QuantityRecord::feedback)};
};

}  // namespace oscbo
