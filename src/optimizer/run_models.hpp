// Everything that is modelled of a run: the objective, each outcome of the space, and, once an
// evaluation has failed, whether evaluations succeed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "optimizer/next_point.hpp"
#include "optimizer/quantity_model.hpp"

namespace oscbo {

/// A value: copying it copies all that has been learned. Points are columns of the space.
class RunModels {
 public:
  using Columns = std::vector<double>;

  RunModels(const Config& config, const Space& space, std::uint64_t seed);

  [[nodiscard]] QuantityModel& objective() { return objective_; }
  [[nodiscard]] const QuantityModel& objective() const { return objective_; }

  /// outcome throws Error (unknown_name) for one that the space has not.
  [[nodiscard]] QuantityModel& outcome(std::size_t c);

  // --- observations ------------------------------------------------------------------------------

  /// What the models said of a point before anything was measured there.
  struct Predictions {
    ModelPrediction objective;
    std::vector<ModelPrediction> outcomes;
  };

  /// record adds what was measured at a point to the models, and what it says of `predictions` to
  /// the trial. Of the objective large values are good.
  void record(const Columns& columns, const Measurement& measurement,
              const std::optional<Predictions>& predictions, bool before_rounds, Trial& trial);

  /// record_failure adds a point whose evaluation failed. From the first one on success is
  /// modelled, with all that went before.
  void record_failure(const Columns& columns);

  struct Best {
    gp::Index observation;
    bool is_acceptable;  // it keeps all limits
  };

  /// best_of returns the observation of largest merit among those that miss the limits of outcomes
  /// by least.
  [[nodiscard]] Best best_of(const std::vector<double>& merit) const;

  // --- the models of a round ---------------------------------------------------------------------

  using PendingPoints = std::span<const QuantityModel::Pending>;

  /// fit makes all models learn what has been told, for query `round`, and begins the round. It
  /// lasts until the next observation and may serve several queries.
  void fit(int round, PendingPoints pending);
  [[nodiscard]] bool in_round() const { return objective_.in_round(); }
  void end_round();

  /// condition_on_pending lets the models account for points that have become pending.
  void condition_on_pending(PendingPoints pending);

  /// of_round returns the models as a search sees them; of_all has a model of all observations of
  /// the objective, whatever the round looks at.
  [[nodiscard]] RoundModels of_round();
  [[nodiscard]] RoundModels of_all(int round, PendingPoints pending);

  /// predict records what `models` predict at a point in its trial and the suggestion of it. What
  /// the user has chosen says nothing of what is left to be found.
  [[nodiscard]] Predictions predict(const RoundModels& models, const Columns& columns,
                                    bool is_chosen, Trial& trial, Suggestion& suggestion);

  [[nodiscard]] gp::Index doubles_held() const;

 private:
  [[nodiscard]] std::vector<double> misses() const;
  [[nodiscard]] RoundModels with_objective(const QuantityView& objective);

  Space space_;
  QuantityModel objective_;
  std::vector<QuantityModel> outcomes_;  // by outcome of the space
  std::optional<model::SuccessModel> success_;
};

}  // namespace oscbo
