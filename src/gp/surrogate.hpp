// The model that an acquisition sees: a posterior, or the mean of one and the spread of another.
#pragma once

#include <algorithm>
#include <optional>

#include "gp/posterior.hpp"

namespace oscbo::gp {

/// Not thread-safe, like the posteriors in it.
class Surrogate final : public prediction::Predictor {
 public:
  Surrogate(const KernelHandle& kernel, double noise_variance);

  /// reserve makes fits up to n points in d dimensions free of allocation.
  void reserve(Index n, Index dimension) { posterior_.reserve(n, dimension); }

  /// fit conditions on the observations `y` at `inputs`; the mean and, until `fit_spread` is
  /// called, the spread are this posterior's. A learned noise variance replaces the declared one.
  /// Unless `base` is 0 the fit is grown from so many first points, see Posterior::fit_grown.
  numeric::FactorOutcome fit(const Inputs& inputs, const Vector& y, const Vector& theta,
                             std::optional<double> learned_noise_variance = std::nullopt,
                             Index base = 0, KnownNoise known_noise = {});

  /// fit_spread takes the variance from a second posterior, with hyperparameters of its own.
  numeric::FactorOutcome fit_spread(const Inputs& inputs, const Vector& y, const Vector& theta,
                                    Index base = 0, KnownNoise known_noise = {});

  [[nodiscard]] Index size() const override { return posterior_.size(); }
  Moments at(std::span<const double> x) override;
  void predict(std::span<LocalPrediction> points) override;
  void at_batch(PredictionBatch& batch) override;
  void joint_covariance(PredictionBatch& batch, PaddedMatrix& covariance) override;
  void condition_on_pending(std::span<const double> x) override;

  /// jitter returns the larger one of what the factorizations took.
  [[nodiscard]] double jitter() const {
    return std::max(posterior_.jitter(), has_spread_ ? spread_.jitter() : 0.0);
  }
  [[nodiscard]] Vector fitted_means() const { return posterior_.fitted_means(); }
  [[nodiscard]] std::vector<Moments> leave_one_out() const { return posterior_.leave_one_out(); }
  [[nodiscard]] double noise_variance() const { return posterior_.noise_variance(); }
  [[nodiscard]] double information_gain() const { return posterior_.information_gain(); }

  /// doubles_held is the sum over the posteriors, see Posterior::doubles_held.
  [[nodiscard]] Index doubles_held() const {
    return posterior_.doubles_held() + spread_.doubles_held();
  }

 private:
  double declared_noise_variance_;
  Posterior posterior_;
  Posterior spread_;
  bool has_spread_ = false;
  std::vector<LocalPrediction> spread_points_;  // workspace
  Vector means_;                                // of a batch, while the spread is computed
};

}  // namespace oscbo::gp
