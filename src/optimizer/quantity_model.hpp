// One measured quantity and the strategy that models it: the objective, or an outcome with limits.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "model/registry.hpp"
#include "optimizer/confidence_width.hpp"
#include "optimizer/quantity_view.hpp"
#include "oscbo/config.hpp"

namespace oscbo {

/// A value type: a copy has the same state.
class QuantityModel {
 public:
  QuantityModel(const Config& config, const gp::Layout& layout, std::uint64_t seed);

  [[nodiscard]] const QuantityData& data() const { return data_; }

  // --- observations ------------------------------------------------------------------------------

  /// add records an observation, with its variance if that is known, and returns its position. This
  /// ends the round.
  gp::Index add(space::Columns columns, double y, std::optional<double> variance);

  /// observe_unpredicted tells the strategy about an observation that was not predicted, and
  /// give_feedback about one that was predicted. `point` is its position.
  void observe_unpredicted(gp::Index point, bool before_rounds);
  Feedback give_feedback(const Prediction& shown, const ModelPrediction& prediction, double y,
                         std::optional<double> variance, gp::Index point);

  // --- the model of a round ----------------------------------------------------------------------

  /// fit learns from all observations so far and begins query `round`. `best` is the observation to
  /// improve on; none: the largest one.
  void fit(int round, std::optional<gp::Index> best, int pending = 0);

  [[nodiscard]] bool in_round() const { return round_.has_value(); }

  /// end_round forgets the model of the round. If no query used the fit, its effects are undone,
  /// because only asks and tells may change the state.
  void end_round();

  /// keep_fit records that a query used the fit. `log_improvement` is the log of the expected
  /// improvement at the suggested point. It is none if the user chose the point, and for outcomes.
  void keep_fit(std::optional<double> log_improvement);

  /// take_evaluations returns the number of factorizations of the fit. Later calls return 0.
  int take_evaluations();

  struct Pending {
    TrialId trial;
    space::Columns columns;
  };
  /// condition_on_pending lets the model account for the pending points in its part of the space.
  /// The model ignores all other pending points: for example, the mean at a pending point on a
  /// locked hill must not become the value to beat elsewhere.
  void condition_on_pending(std::span<const Pending> pending);

  /// view returns the model of the round. Requires a fit.
  [[nodiscard]] QuantityView view();

  /// view_of_all returns a model of all observations. If the model of the round uses all of them,
  /// that is the model returned. Otherwise view_of_all fits another model, unless the last call in
  /// this round had the same arguments. Requires a fit.
  [[nodiscard]] QuantityView view_of_all(int round, std::span<const Pending> pending);

  /// is_noisy returns whether noise was told, or the last kept fit found noise that matters.
  [[nodiscard]] bool is_noisy() const;

  /// current_data returns the observations as a fit would see them now.
  [[nodiscard]] QuantityData current_data() const;

  [[nodiscard]] gp::Index doubles_held() const { return strategy_->doubles_held(); }

 private:
  /// The model of all observations: the query that it was fitted for, and the pending trials that
  /// it accounts for.
  struct Whole {
    int round = 0;
    std::vector<TrialId> conditioned;
    double best_pending = -std::numeric_limits<double>::infinity();
  };

  /// The state between a fit and the next observation.
  struct Round {
    std::optional<gp::Index> best;
    int pending = 0;  // number of pending points when the fit was made
    double beta = 0.0;
    std::optional<double> information_bound;
    int evaluations = 0;               // factorizations that take_evaluations has not yet returned
    std::vector<TrialId> conditioned;  // pending trials that the model accounts for
    double best_pending = -std::numeric_limits<double>::infinity();
    std::optional<Whole> whole = std::nullopt;
  };

  void fit_all(int round, std::span<const Pending> pending);
  [[nodiscard]] QuantityView view_of(model::Scope scope, double best_pending);

  Config config_;
  QuantityData data_;
  model::StrategyHandle strategy_;
  ConfidenceWidth width_;
  double violation_ = 0.0;  // sum of calibration losses, for strategies that keep none
  std::optional<Round> round_;
};

}  // namespace oscbo
