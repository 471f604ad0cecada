#include "gp/surrogate.hpp"

namespace oscbo::gp {

Surrogate::Surrogate(const KernelHandle& kernel, double noise_variance)
    : declared_noise_variance_(noise_variance),
      posterior_(kernel, noise_variance),
      spread_(kernel, noise_variance) {}

numeric::FactorOutcome Surrogate::fit(const Inputs& inputs, const Vector& y, const Vector& theta,
                                      std::optional<double> learned_noise_variance, Index base,
                                      KnownNoise known_noise) {
  has_spread_ = false;
  posterior_.set_noise_variance(learned_noise_variance.value_or(declared_noise_variance_));
  return posterior_.fit_grown(inputs, y, theta, base > 0 ? base : inputs.size(), known_noise);
}

numeric::FactorOutcome Surrogate::fit_spread(const Inputs& inputs, const Vector& y,
                                             const Vector& theta, Index base,
                                             KnownNoise known_noise) {
  has_spread_ = true;
  spread_.set_noise_variance(posterior_.noise_variance());
  return spread_.fit_grown(inputs, y, theta, base > 0 ? base : inputs.size(), known_noise);
}

void Surrogate::condition_on_pending(std::span<const double> x) {
  posterior_.condition_on_pending(x);
  if (has_spread_) spread_.condition_on_pending(x);
}

Moments Surrogate::at(std::span<const double> x) {
  Moments moments = posterior_.at(x);
  if (has_spread_) moments.variance = spread_.at(x).variance;
  return moments;
}

void Surrogate::predict(std::span<LocalPrediction> points) {
  posterior_.predict(points);
  if (!has_spread_) return;
  spread_points_.assign(points.begin(), points.end());
  spread_.predict(spread_points_);
  for (std::size_t p = 0; p < points.size(); ++p) {
    points[p].moments.variance = spread_points_[p].moments.variance;
    points[p].variance_gradient = spread_points_[p].variance_gradient;
  }
}

void Surrogate::at_batch(PredictionBatch& batch) {
  posterior_.at_batch(batch);
  if (!has_spread_) return;
  means_ = batch.means;
  spread_.at_batch(batch);
  batch.means = means_;
}

void Surrogate::joint_covariance(PredictionBatch& batch, PaddedMatrix& covariance) {
  if (!has_spread_) return posterior_.joint_covariance(batch, covariance);
  posterior_.at_batch(batch);
  means_ = batch.means;
  spread_.joint_covariance(batch, covariance);
  batch.means = means_;
}

}  // namespace oscbo::gp
