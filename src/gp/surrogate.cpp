#include "gp/surrogate.hpp"

namespace oscbo::gp {

Surrogate::Surrogate(KernelHandle kernel, double noise_variance)
    : kernel_(kernel),
      declared_noise_variance_(noise_variance),
      posterior_(std::move(kernel), noise_variance) {}

numeric::FactorOutcome Surrogate::fit(const Inputs& inputs, const Vector& y, const Vector& theta,
                                      std::optional<double> learned_noise_variance) {
  spread_.reset();
  posterior_.set_noise_variance(learned_noise_variance.value_or(declared_noise_variance_));
  return posterior_.fit(inputs, y, theta);
}

numeric::FactorOutcome Surrogate::fit_spread(const Inputs& inputs, const Vector& y,
                                             const Vector& theta) {
  spread_.emplace(kernel_, posterior_.noise_variance());
  unused_gradient_.resize(static_cast<std::size_t>(inputs.dimension()));
  return spread_->fit(inputs, y, theta);
}

void Surrogate::condition_on_pending(std::span<const double> x) {
  posterior_.condition_on_pending(x);
  if (spread_) spread_->condition_on_pending(x);
}

Moments Surrogate::at(std::span<const double> x) {
  Moments moments = posterior_.at(x);
  if (spread_) moments.variance = spread_->at(x).variance;
  return moments;
}

Moments Surrogate::at(std::span<const double> x, std::span<double> mean_gradient,
                      std::span<double> variance_gradient) {
  Moments moments = posterior_.at(x, mean_gradient, variance_gradient);
  if (spread_) moments.variance = spread_->at(x, unused_gradient_, variance_gradient).variance;
  return moments;
}

void Surrogate::at_batch(PredictionBatch& batch) {
  posterior_.at_batch(batch);
  if (!spread_) return;
  means_ = batch.means;
  spread_->at_batch(batch);
  batch.means = means_;
}

void Surrogate::joint_covariance(PredictionBatch& batch, PaddedMatrix& covariance) {
  if (!spread_) return posterior_.joint_covariance(batch, covariance);
  posterior_.at_batch(batch);
  means_ = batch.means;
  spread_->joint_covariance(batch, covariance);
  batch.means = means_;
}

}  // namespace oscbo::gp
