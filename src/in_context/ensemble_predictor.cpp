#include "in_context/ensemble_predictor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace oscbo::in_context {
namespace {

/// moments_of_values returns the mean of y and its variance, 1 if all values are equal.
prediction::Moments moments_of_values(std::span<const double> y) {
  const auto n = static_cast<double>(y.size());
  double mean = 0.0;
  for (const double value : y) mean += value / n;
  double variance = 0.0;
  for (const double value : y) variance += (value - mean) * (value - mean) / n;
  return {.mean = mean,
          .variance = variance > 0.0 ? std::max(variance, prediction::kMinimumVariance) : 1.0};
}

bool is_finite(const prediction::Moments& moments) {
  return std::isfinite(moments.mean) && std::isfinite(moments.variance);
}

/// copy_finite copies a gradient. Entries that are not finite become 0.
void copy_finite(const double* gradient, std::vector<double>& result) {
  for (std::size_t k = 0; k < result.size(); ++k) {
    result[k] = std::isfinite(gradient[k]) ? gradient[k] : 0.0;
  }
}

Rows<double> one_row(std::span<const double> x) {
  Rows<double> row(1, static_cast<Index>(x.size()));
  std::copy(x.begin(), x.end(), row.data());
  return row;
}

}  // namespace

EnsemblePredictor::EnsemblePredictor(std::shared_ptr<const Weights<float>> weights, Rows<double> X,
                                     std::vector<double> y, EnsembleOptions options)
    : weights_(std::move(weights)),
      options_(std::move(options)),
      X_(std::move(X)),
      y_(std::move(y)),
      ensemble_(weights_, X_, y_, options_),
      ignorance_(moments_of_values(y_)) {}

prediction::Moments EnsemblePredictor::moments_at(const EnsembleMoments& moments,
                                                  std::size_t i) const {
  const prediction::Moments found{
      .mean = moments.means[i],
      .variance = std::max(moments.variances[i], prediction::kMinimumVariance)};
  return is_finite(found) ? found : ignorance_;
}

prediction::Moments EnsemblePredictor::at(std::span<const double> x) {
  return moments_at(ensemble_.moments(one_row(x)), 0);
}

void EnsemblePredictor::predict(std::span<prediction::LocalPrediction> points) {
  const auto count = static_cast<Index>(points.size());
  Rows<double> rows(count, X_.columns());
  for (Index i = 0; i < count; ++i) {
    std::copy_n(points[static_cast<std::size_t>(i)].x.data(), X_.columns(), rows.row(i));
  }
  const EnsembleMoments moments = ensemble_.moments_with_gradients(rows);
  for (Index i = 0; i < count; ++i) {
    prediction::LocalPrediction& point = points[static_cast<std::size_t>(i)];
    point.moments = moments_at(moments, static_cast<std::size_t>(i));
    copy_finite(moments.mean_gradients.row(i), point.mean_gradient);
    copy_finite(moments.variance_gradients.row(i), point.variance_gradient);
  }
}

void EnsemblePredictor::at_batch(prediction::PredictionBatch& batch) {
  Rows<double> rows(batch.points.rows(), batch.points.columns());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.columns(); ++j) rows(i, j) = batch.points(i, j);
  }
  const EnsembleMoments moments = ensemble_.moments(rows);
  for (Index i = 0; i < rows.rows(); ++i) {
    const prediction::Moments here = moments_at(moments, static_cast<std::size_t>(i));
    batch.means[i] = here.mean;
    batch.variances[i] = here.variance;
  }
}

void EnsemblePredictor::joint_covariance(prediction::PredictionBatch& batch,
                                         numeric::PaddedMatrix& covariance) {
  at_batch(batch);
  const Index count = batch.points.rows();
  covariance.resize(count, count);
  covariance.set_zero();
  for (Index i = 0; i < count; ++i) covariance(i, i) = batch.variances[i];
}

void EnsemblePredictor::condition_on_pending(std::span<const double> x) {
  const double mean = at(x).mean;
  Rows<double> larger(X_.rows() + 1, X_.columns());
  std::copy_n(X_.data(), X_.size(), larger.data());
  std::copy(x.begin(), x.end(), larger.row(X_.rows()));
  X_ = std::move(larger);
  y_.push_back(mean);
  ensemble_ = Ensemble<float>(weights_, X_, y_, options_);
  ignorance_ = moments_of_values(y_);
}

}  // namespace oscbo::in_context
