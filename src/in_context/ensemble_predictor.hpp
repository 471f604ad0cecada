// The in-context regressor as a Predictor, the interface that the acquisition functions use.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "in_context/ensemble.hpp"
#include "prediction/predictor.hpp"

namespace oscbo::in_context {

/// A pending point enters the context with the mean that was predicted for it. Unlike with a
/// Gaussian process, this may change the mean elsewhere, and the variance need not shrink. The
/// values at several points are taken to be independent.
///
/// The numbers of a network may overflow. Where its mean or its variance is not finite, the
/// prediction is the mean and the variance of the values in the context (variance 1 if all values
/// are equal), and slopes that are not finite are 0.
class EnsemblePredictor final : public prediction::Predictor {
 public:
  EnsemblePredictor(std::shared_ptr<const Weights<float>> weights, Rows<double> X,
                    std::vector<double> y, EnsembleOptions options);

  [[nodiscard]] const Ensemble<float>& ensemble() const { return ensemble_; }

  [[nodiscard]] Index size() const override { return static_cast<Index>(y_.size()); }
  prediction::Moments at(std::span<const double> x) override;
  void predict(std::span<prediction::LocalPrediction> points) override;
  void at_batch(prediction::PredictionBatch& batch) override;
  void joint_covariance(prediction::PredictionBatch& batch,
                        numeric::PaddedMatrix& covariance) override;
  void condition_on_pending(std::span<const double> x) override;

 private:
  [[nodiscard]] prediction::Moments moments_at(const EnsembleMoments& moments, std::size_t i) const;

  std::shared_ptr<const Weights<float>> weights_;
  EnsembleOptions options_;
  Rows<double> X_;
  std::vector<double> y_;
  Ensemble<float> ensemble_;
  prediction::Moments ignorance_;  // the moments of y_
};

}  // namespace oscbo::in_context
