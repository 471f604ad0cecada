// The function that the search on a space maximises: the acquisition, weighted by the probability
// that the limits hold,
//
//   merit(x) = acquisition(mu, var)
//              + sum over limits of (log P(lower <= g(x)) + log P(g(x) <= upper)).
//
// Here mu and var are the mean and variance of the objective at x, and g is a quantity with limits.
// With log EI, the merit is log(EI P), where P is the product of these probabilities. As long as no
// acceptable point is known, there is no acquisition, and only P is maximised.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "acquisition/acquisition.hpp"
#include "acquisition/input_scaling.hpp"
#include "numeric/padded_matrix.hpp"
#include "space/point.hpp"

namespace oscbo::acquisition {

/// A model, and the scaling of its inputs.
struct ScaledModel {
  prediction::Predictor* model;
  InputScaling scaling;

  /// place scales the rows of `columns` and makes them the points of a batch.
  void place(const numeric::PaddedMatrix& columns, prediction::PredictionBatch& batch) const;
};

/// A modelled quantity that must lie between two values, given in the units of its model. The two
/// ends count as two limits: P(lower <= g) P(g <= upper) replaces P(lower <= g <= upper).
struct Limit {
  ScaledModel model;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double added_variance = 0.0;  // variance of the quantity in addition to that of its model

  /// weight returns log P(lower <= g) + log P(g <= upper), given the moments of g.
  [[nodiscard]] AcquisitionValue weight(const prediction::Moments& moments) const;
};

/// Not thread-safe, like the models that it holds.
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

  /// spreads returns the variance of the objective at each row of `points`. Without an objective,
  /// it returns the variance of the first limit.
  [[nodiscard]] Vector spreads(const numeric::PaddedMatrix& points);

  struct Point {
    space::Columns columns;
    double value = 0.0;
    Vector gradient = {};  // with respect to the columns
  };

  /// evaluate fills in the value and gradient of all points.
  void evaluate(std::span<Point> points);

  /// size returns the largest number of points that one of the models is conditioned on.
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
