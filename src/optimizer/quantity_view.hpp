// A model of one quantity as the search and the user see it: its acquisition function and its
// predictions.
#pragma once

#include <limits>
#include <optional>

#include "acquisition/acquisition.hpp"
#include "acquisition/acquisition_options.hpp"
#include "model/model_strategy.hpp"
#include "optimizer/model_prediction.hpp"
#include "optimizer/quantity_data.hpp"

namespace oscbo {

/// Refers to its quantity. The next observation or fit invalidates the view.
class QuantityView {
 public:
  /// The parts of a view.
  struct Parts {
    const acquisition::AcquisitionOptions& acquisition;
    const QuantityData& data;
    const model::ModelDescription& model;
    prediction::Predictor& predictor;
    model::GameState game;
    double beta = 0.0;                                       // of the calibrated intervals
    std::optional<double> information_bound = std::nullopt;  // of width=theory
    std::optional<gp::Index> best = std::nullopt;  // the observation to improve on; none: the
                                                   // one with the best value or mean
    double best_pending = -std::numeric_limits<double>::infinity();  // the largest mean
  };

  explicit QuantityView(const Parts& parts);

  [[nodiscard]] prediction::Predictor& predictor() const { return parts_.predictor; }
  [[nodiscard]] const acquisition::InputScaling& scaling() const { return parts_.data.scaling(); }
  [[nodiscard]] const model::ModelDescription& model() const { return parts_.model; }
  [[nodiscard]] const model::SearchPlan& plan() const { return parts_.model.plan; }

  /// looks_at returns whether the point lies in the model's part of the space.
  [[nodiscard]] bool looks_at(const space::Columns& columns) const;

  /// condition_on_pending lets the model account for a point whose value is not known yet.
  void condition_on_pending(const space::Columns& columns);

  /// best_pending returns the largest mean at a pending point, in the model's units.
  [[nodiscard]] double best_pending() const { return parts_.best_pending; }

  /// acquisition returns the function that the search maximises. It is a function of the predicted
  /// mean and variance in the model's units. Thompson sampling has no such function, so the result
  /// is the confidence bound.
  [[nodiscard]] acquisition::Acquisition acquisition() const;

  /// incumbent returns the observation to improve on. incumbent_input returns its input in the
  /// model.
  [[nodiscard]] gp::Index incumbent() const;
  [[nodiscard]] acquisition::ModelInput incumbent_input() const {
    return acquisition::ModelInput(parts_.data.inputs().point(incumbent()));
  }

  /// to_model_units converts a value of the quantity to the model's units.
  [[nodiscard]] double to_model_units(double y) const { return units_.to_z(y); }

  [[nodiscard]] ModelPrediction predict(const space::Columns& columns) const;
  [[nodiscard]] Prediction in_units_of_y(const ModelPrediction& prediction) const;

 private:
  [[nodiscard]] double confidence_multiplier() const;
  [[nodiscard]] double best_known() const;
  [[nodiscard]] double value_to_beat() const;
  [[nodiscard]] double expected_noise() const;

  Parts parts_;
  Standardizer units_;  // from observations to the model's units
};

}  // namespace oscbo
