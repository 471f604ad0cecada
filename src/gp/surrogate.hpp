// The model that an acquisition uses: a posterior, or the mean of one and the spread of another.
#pragma once

#include <algorithm>
#include <optional>

#include "gp/posterior.hpp"

namespace oscbo::gp {

/// Not thread-safe, like the posteriors that it holds.
class Surrogate final : public prediction::Predictor {
 public:
  Surrogate(const KernelHandle& kernel, double noise_variance);

  /// reserve makes fits of up to n points free of allocation.
  void reserve(Index n, Index dimension) { posterior_.reserve(n, dimension); }

  /// fit conditions on the observations `y` at `inputs`. This posterior determines the mean and,
  /// until `fit_spread` is called, the spread. A learned noise variance replaces the declared one.
  /// Unless `base` is 0, the fit is grown from the first `base` points (Posterior::fit_grown).
  numeric::FactorOutcome fit(const Inputs& inputs, const Vector& y, const Vector& theta,
                             std::optional<double> learned_noise_variance = std::nullopt,
                             Index base = 0, KnownNoise known_noise = {});

  /// fit_spread fits a second posterior, with its own hyperparameters, that determines the
  /// variance.
  numeric::FactorOutcome fit_spread(const Inputs& inputs, const Vector& y, const Vector& theta,
                                    Index base = 0, KnownNoise known_noise = {});

  [[nodiscard]] Index size() const override { return posterior_.size(); }
  Moments at(std::span<const double> x) override;
  void predict(std::span<LocalPrediction> points) override;
  void at_batch(PredictionBatch& batch) override;
  void joint_covariance(PredictionBatch& batch, PaddedMatrix& covariance) override;
  void condition_on_pending(std::span<const double> x) override;

  /// jitter returns the larger jitter of the two factorizations.
  [[nodiscard]] double jitter() const {
    return std::max(posterior_.jitter(), has_spread_ ? spread_.jitter() : 0.0);
  }
  [[nodiscard]] Vector fitted_means() const { return posterior_.fitted_means(); }
  [[nodiscard]] std::vector<Moments> leave_one_out() const { return posterior_.leave_one_out(); }
  [[nodiscard]] double noise_variance() const { return posterior_.noise_variance(); }
  [[nodiscard]] double information_gain() const { return posterior_.information_gain(); }

  /// doubles_held returns the sum over both posteriors (Posterior::doubles_held).
  [[nodiscard]] Index doubles_held() const {
    return posterior_.doubles_held() + spread_.doubles_held();
  }

 private:
  double declared_noise_variance_;
  Posterior posterior_;
  Posterior spread_;
  bool has_spread_ = false;
  std::vector<LocalPrediction> spread_points_;  // workspace
  Vector means_;                                // keeps the means of a batch
};

}  // namespace oscbo::gp
