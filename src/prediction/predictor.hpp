// The interface through which acquisition functions use a model. It gives the mean and the variance
// of the modelled function at any point, also with gradients or jointly at many points. It can
// account for evaluations that are still running.
#pragma once

#include <span>
#include <vector>

#include "numeric/padded_matrix.hpp"

namespace oscbo::prediction {

using numeric::Index;
using numeric::PaddedMatrix;
using numeric::Vector;

struct Moments {
  double mean = 0.0;
  double variance = 1.0;  // latent: without noise; at least kMinimumVariance
};

inline constexpr double kMinimumVariance = 1e-12;

/// A set of points to predict together, and their predictions.
struct PredictionBatch {
  PaddedMatrix points;  // m x d
  Vector means;
  Vector variances;

  void resize(Index count, Index dimension);

  PaddedMatrix cross_covariance;  // workspace of the predictor
};

/// A point to predict, and the prediction there with its gradients with respect to x.
struct LocalPrediction {
  explicit LocalPrediction(Index dimension)
      : x(dimension),
        mean_gradient(static_cast<std::size_t>(dimension)),
        variance_gradient(static_cast<std::size_t>(dimension)) {}

  Vector x;
  Moments moments;
  std::vector<double> mean_gradient;
  std::vector<double> variance_gradient;
};

/// A model of a function as the acquisition sees it. Implementations need not be thread-safe:
/// predictions may share a workspace.
class Predictor {
 public:
  Predictor() = default;
  virtual ~Predictor() = default;

  /// size returns the number of points that the model is conditioned on, pending ones included.
  [[nodiscard]] virtual Index size() const = 0;

  /// at returns the moments at x.
  virtual Moments at(std::span<const double> x) = 0;

  /// predict fills in moments and gradients at all the points.
  virtual void predict(std::span<LocalPrediction> points) = 0;

  /// at_batch fills in the moments at all points of the batch.
  virtual void at_batch(PredictionBatch& batch) = 0;

  /// joint_covariance fills in the moments as at_batch does, and writes the latent covariance of
  /// the points to the lower triangle of `covariance`, in whole tiles (numeric/cholesky.hpp).
  virtual void joint_covariance(PredictionBatch& batch, PaddedMatrix& covariance) = 0;

  /// condition_on_pending accounts for a point whose value is not known yet: the point enters the
  /// observations with its predicted mean. A Gaussian process then has the same mean as before, and
  /// a smaller variance around the point.
  virtual void condition_on_pending(std::span<const double> x) = 0;

 protected:
  Predictor(const Predictor&) = default;
  Predictor(Predictor&&) = default;
  Predictor& operator=(const Predictor&) = default;
  Predictor& operator=(Predictor&&) = default;
};

}  // namespace oscbo::prediction
