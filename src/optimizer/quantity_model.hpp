// One measured quantity and the model that predicts it: the objective, or an outcome with limits.
// Points are columns of the space (space/domain.hpp).
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "acquisition/acquisition.hpp"
#include "gp/surrogate.hpp"
#include "learners/registry.hpp"
#include "optimizer/confidence_width.hpp"
#include "optimizer/input_scaling.hpp"
#include "optimizer/model_prediction.hpp"
#include "optimizer/standardizer.hpp"

namespace oscbo {

/// A value: copying it copies all that has been learned.
class QuantityModel {
 public:
  QuantityModel(const Config& config, const gp::Layout& layout, std::uint64_t seed);

  // --- observations ------------------------------------------------------------------------------

  /// add records an observation, with its variance where that is known, and returns its position. A
  /// fit that nothing came of is undone: only asks and tells may leave a trace.
  gp::Index add(std::vector<double> columns, double y, std::optional<double> variance);

  /// Feedback to the rule about observation `point`, which was not predicted, and of one that was.
  void observe_unpredicted(gp::Index point, bool before_rounds);
  Feedback give_feedback(const Prediction& shown, const ModelPrediction& prediction, double y,
                         std::optional<double> variance, gp::Index point);

  [[nodiscard]] std::size_t size() const { return y_.size(); }
  [[nodiscard]] const std::vector<double>& y() const { return y_; }
  [[nodiscard]] const std::vector<std::vector<double>>& columns() const { return columns_; }
  [[nodiscard]] const gp::Inputs& inputs() const { return inputs_; }
  [[nodiscard]] const numeric::Vector& z() const { return z_; }

  /// refresh standardises the observations and scales the inputs as they would be now.
  void refresh();

  // --- the model of a round ----------------------------------------------------------------------

  /// fit learns from the observations for query `round`, unless that has been done. `best` is the
  /// observation to improve on, the largest one where it is not given.
  void fit(int round, std::optional<gp::Index> best, int pending = 0);

  /// forget_fit makes the next fit begin anew, with pending points to be told again.
  void forget_fit();

  /// use_fit says that a query came of the fit, and the logarithm of what it promises, if it was
  /// found by a search.
  void use_fit(std::optional<double> log_improvement);

  /// take_evaluations returns what the fit cost, once.
  int take_evaluations();

  struct Pending {
    TrialId trial;
    std::vector<double> columns;
  };
  /// condition_on_pending lets the model account for the pending points that it looks at. Of others
  /// it knows nothing: what it makes of the top of a locked hill is no value to beat beyond it.
  void condition_on_pending(std::span<const Pending> pending);

  /// model returns that of the round, and scaling the map from columns to its inputs.
  [[nodiscard]] gp::Surrogate& model();
  [[nodiscard]] const gp::Surrogate& model() const;
  [[nodiscard]] const InputScaling& scaling() const { return scaling_; }
  [[nodiscard]] const learners::ModelSettings& settings() const { return settings_; }

  /// looks_at returns whether the point lies in the part of the space that the model of the round
  /// is made for.
  [[nodiscard]] bool looks_at(std::span<const double> columns) const;

  /// with_model_of_all calls `look` with a model of all observations in force, whatever the round
  /// looks at.
  void with_model_of_all(int round, std::span<const Pending> pending,
                         const std::function<void()>& look);

  // --- what it says ------------------------------------------------------------------------------

  /// acquisition returns the function of the moments, in the model's units, that the round's search
  /// maximises. Thompson sampling has none of its own and reports the confidence bound.
  [[nodiscard]] acquisition::Acquisition acquisition() const;

  /// incumbent returns the observation that is to be improved on.
  [[nodiscard]] gp::Index incumbent() const;

  /// to_model_units returns a value of the quantity as the round's model has it.
  [[nodiscard]] double to_model_units(double y) const { return model_units_.to_z(y); }

  [[nodiscard]] ModelPrediction predict(std::span<const double> columns);
  [[nodiscard]] Prediction in_units_of_y(const ModelPrediction& prediction) const;

  /// is_noisy returns whether the last fit found noise that matters, or some was told.
  [[nodiscard]] bool is_noisy() const;

  [[nodiscard]] gp::Index doubles_held() const {
    return whole_model_.doubles_held() + partial_model_.doubles_held();
  }

 private:
  class RoundKept;

  [[nodiscard]] Standardizer current_statistics() const;
  void standardise();
  void scale_inputs();
  void condition_model();
  [[nodiscard]] learners::Observations observations() const;
  [[nodiscard]] double confidence_multiplier() const;
  [[nodiscard]] double value_to_beat() const;
  [[nodiscard]] double best_known() const;
  [[nodiscard]] double expected_noise() const;
  [[nodiscard]] std::vector<double> shown_lengthscales() const;

  Config config_;
  gp::Layout layout_;

  // The observations, in the order in which they were told.
  std::vector<std::vector<double>> columns_;
  std::vector<double> y_;
  std::vector<double> variances_;  // NaN where not known; empty where none is
  gp::Index initial_points_ = 0;   // of these, told before the first round

  // What has been learned.
  learners::RuleHandle rule_;
  std::optional<learners::RuleHandle> rule_before_fit_;
  ConfidenceWidth width_;
  double violation_ = 0.0;  // of the rules that do not keep their own

  // The model of the round.
  gp::Inputs inputs_;
  InputScaling scaling_;
  Standardizer standardizer_;
  numeric::Vector z_;
  std::vector<double> noise_;  // known variances of z, likewise
  Standardizer model_units_;   // standardised once more, as the rule's settings say
  learners::ModelSettings settings_;
  std::optional<gp::Index> best_;            // see fit
  int pending_ = 0;                          // likewise
  double beta_ = 0.0;                        // in force
  std::optional<double> information_bound_;  // likewise
  gp::Surrogate whole_model_;
  gp::Surrogate partial_model_;
  bool fit_is_stale_ = true;
  int evaluations_of_fit_ = 0;
  std::vector<TrialId> conditioned_;  // pending trials that the model accounts for
  double best_pending_ = -std::numeric_limits<double>::infinity();  // mean at one of them
};

}  // namespace oscbo
