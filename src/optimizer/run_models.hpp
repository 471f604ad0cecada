// All models of a run: the objective, each outcome of the space and, once an evaluation has failed,
// the probability of success.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "optimizer/next_point.hpp"
#include "optimizer/quantity_model.hpp"
#include "oscbo/config.hpp"

namespace oscbo {

/// A value type: a copy has the same state.
class RunModels {
 public:
  RunModels(const Config& config, const Space& space, std::uint64_t seed);

  [[nodiscard]] QuantityModel& objective() { return objective_; }
  [[nodiscard]] const QuantityModel& objective() const { return objective_; }

  /// outcome returns the model of outcome c. Throws Error (unknown_name) if the space has no such
  /// outcome.
  [[nodiscard]] QuantityModel& outcome(std::size_t c);

  // --- observations ------------------------------------------------------------------------------

  /// The predictions of the models at a point before it was measured.
  struct Predictions {
    ModelPrediction objective;
    std::vector<ModelPrediction> outcomes;
  };

  /// record adds a measurement to the models. If there were predictions, it also adds the feedback
  /// on them to the trial. Large values of the objective are good here, whatever its goal.
  void record(const space::Columns& columns, const Measurement& measurement,
              const Predictions* predictions, bool before_rounds, Trial& trial);

  /// record_failure adds a point whose evaluation failed. The first failure creates the model of
  /// success, which also learns from all earlier observations.
  void record_failure(const space::Columns& columns);

  struct Best {
    gp::Index observation;
    bool is_acceptable;  // it is within all limits
  };

  /// best_of returns the acceptable observation with the largest merit. If none is acceptable, it
  /// chooses among those that miss the limits of outcomes by the least.
  [[nodiscard]] Best best_of(const std::vector<double>& merit) const;

  // --- the models of a round ---------------------------------------------------------------------

  using PendingPoints = std::span<const QuantityModel::Pending>;

  /// fit lets all models learn from the observations and begins round number `round`. The round
  /// lasts until the next observation and may serve several suggestions.
  void fit(int round, PendingPoints pending);
  [[nodiscard]] bool in_round() const { return objective_.in_round(); }
  void end_round();

  /// condition_on_pending lets the models account for points that have become pending.
  void condition_on_pending(PendingPoints pending);

  /// of_round returns the models as a search sees them. of_all differs in the objective: its model
  /// uses all observations, whatever the round looks at.
  [[nodiscard]] ModelsInForce of_round();
  [[nodiscard]] ModelsInForce of_all(int round, PendingPoints pending);

  /// predict returns the predictions of `models` at a point, and records them in the point's trial
  /// and suggestion. If the user chose the point (`is_chosen`), its expected improvement does not
  /// count as the result of a search.
  [[nodiscard]] Predictions predict(const ModelsInForce& models, const space::Columns& columns,
                                    bool is_chosen, Trial& trial, Suggestion& suggestion);

  [[nodiscard]] gp::Index doubles_held() const;

 private:
  [[nodiscard]] std::vector<double> misses() const;
  [[nodiscard]] ModelsInForce with_objective(const QuantityView& objective);

  Space space_;
  QuantityModel objective_;
  std::vector<QuantityModel> outcomes_;  // by outcome of the space
  std::optional<model::SuccessModel> success_;
};

}  // namespace oscbo
