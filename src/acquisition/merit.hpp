// What the search on a space maximises: the acquisition, weighted by the probability that limits
// are kept,
//
//   merit(x) = acquisition(mu, var)  +  sum over limits of log P(lower <= g(x) <= upper),
//
// so an acquisition on the logarithmic scale is multiplied by that probability. Where nothing
// acceptable is known yet there is no acquisition, and the probability alone is maximised.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "acquisition/acquisition.hpp"
#include "numeric/padded_matrix.hpp"

namespace oscbo::acquisition {

using numeric::Index;
using numeric::Vector;

/// A model whose inputs are (column - offset) / range.
struct ScaledModel {
  prediction::Predictor* model;
  Vector offset;
  Vector range;

  /// place makes the rows of `columns` the points of a batch.
  void place(const numeric::PaddedMatrix& columns, prediction::PredictionBatch& batch) const;
};

/// A modelled quantity that has to lie between two values, in the units of its model. Both ends
/// count on their own: the product of the two probabilities is what the search sees.
struct Limit {
  ScaledModel model;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double added_variance = 0.0;  // of the quantity, beyond what its model says

  /// weight returns the logarithm of that product.
  [[nodiscard]] AcquisitionValue weight(const prediction::Moments& moments) const;
};

/// Not thread-safe, like the models in it.
class Merit {
 public:
  struct Objective {
    ScaledModel model;
    Acquisition acquisition;
  };

  Merit(std::optional<Objective> objective, std::vector<Limit> limits)
      : objective_(std::move(objective)), limits_(std::move(limits)) {}

  /// values returns the merit of each row of `points`.
  [[nodiscard]] Vector values(const numeric::PaddedMatrix& points);

  /// spreads returns the variance of the objective, or what there is in its place, at each row.
  [[nodiscard]] Vector spreads(const numeric::PaddedMatrix& points);

  struct Point {
    Vector columns;
    double value = 0.0;
    Vector gradient = {};  // in the columns
  };

  /// evaluate fills in value and gradient of all the points.
  void evaluate(std::span<Point> points);

  /// size returns how many points the largest of the models is conditioned on.
  [[nodiscard]] Index size() const;

  [[nodiscard]] const std::optional<Objective>& objective() const { return objective_; }
  [[nodiscard]] const std::vector<Limit>& limits() const { return limits_; }

 private:
  std::optional<Objective> objective_;
  std::vector<Limit> limits_;
  prediction::PredictionBatch batch_;
  std::vector<prediction::LocalPrediction> predictions_;
};

}  // namespace oscbo::acquisition
