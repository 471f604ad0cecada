// The model that an acquisition sees: a posterior, or the mean of one and the spread of another.
#pragma once

#include <algorithm>
#include <optional>

#include "gp/posterior.hpp"

namespace oscbo::gp {

/// Not thread-safe, like the posteriors in it.
class Surrogate {
 public:
  Surrogate(KernelHandle kernel, double noise_variance);

  /// reserve makes fits up to n points in d dimensions free of allocation.
  void reserve(Index n, Index dimension) { posterior_.reserve(n, dimension); }

  /// fit conditions on the observations `y` at `inputs`; the mean and, until `fit_spread` is
  /// called, the spread are this posterior's. A learned noise variance replaces the declared one.
  numeric::FactorOutcome fit(const Inputs& inputs, const Vector& y, const Vector& theta,
                             std::optional<double> learned_noise_variance = std::nullopt);

  /// fit_spread takes the variance from a second posterior, with hyperparameters of its own.
  numeric::FactorOutcome fit_spread(const Inputs& inputs, const Vector& y, const Vector& theta);

  /// These do what they do for Posterior.
  void condition_on_pending(std::span<const double> x);
  Moments at(std::span<const double> x);
  Moments at(std::span<const double> x, std::span<double> mean_gradient,
             std::span<double> variance_gradient);
  void at_batch(PredictionBatch& batch);
  void joint_covariance(PredictionBatch& batch, PaddedMatrix& covariance);

  /// jitter returns the larger one of what the factorizations took.
  [[nodiscard]] double jitter() const {
    return std::max(posterior_.jitter(), spread_ ? spread_->jitter() : 0.0);
  }
  [[nodiscard]] Vector fitted_means() const { return posterior_.fitted_means(); }
  [[nodiscard]] double noise_variance() const { return posterior_.noise_variance(); }
  [[nodiscard]] double information_gain() const { return posterior_.information_gain(); }

 private:
  KernelHandle kernel_;
  double declared_noise_variance_;
  Posterior posterior_;
  std::optional<Posterior> spread_;
  std::vector<double> unused_gradient_;
  Vector means_;  // of a batch, while the spread is computed
};

}  // namespace oscbo::gp
