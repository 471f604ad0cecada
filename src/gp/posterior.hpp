// The posterior of a Gaussian process with zero mean and noisy observations:
//
//   mu(x) = k(x)^T alpha,   var(x) = k(x, x) - |L^{-1} k(x)|^2   (latent: without the noise),
//
// with A = K + diag(s2_1, ..., s2_n) = L L^T, z = L^{-1} y and alpha = L^{-T} z. The noise s2_j is
// the noise variance of the model where it is not known to be another one.
#pragma once

#include <span>
#include <vector>

#include "gp/kernel.hpp"
#include "gp/known_noise.hpp"
#include "numeric/cholesky.hpp"
#include "prediction/predictor.hpp"

namespace oscbo::gp {

using prediction::kMinimumVariance;
using prediction::LocalPrediction;
using prediction::Moments;
using prediction::PredictionBatch;

/// The mean of a posterior by itself, mu(x) = sum_i alpha_i k(x_i, x): a value that outlives it.
/// Immutable.
class MeanFunction {
 public:
  MeanFunction(KernelHandle kernel, Vector theta, PaddedMatrix encoded, Vector alpha)
      : kernel_(std::move(kernel)),
        theta_(std::move(theta)),
        encoded_(std::move(encoded)),
        alpha_(std::move(alpha)) {}

  /// What evaluations share that follow each other.
  struct Workspace {
    Vector k;
    PaddedMatrix slopes;
    std::vector<double> unused;
  };

  /// gradient writes dmu/dx.
  void gradient(std::span<const double> x, std::span<double> gradient, Workspace& workspace) const;

 private:
  KernelHandle kernel_;
  Vector theta_;
  PaddedMatrix encoded_;
  Vector alpha_;
};

/// Not thread-safe: evaluations share a workspace owned by the object, and allocate nothing
/// up to 256 points.
class Posterior {
 public:
  Posterior(KernelHandle kernel, double noise_variance)
      : kernel_(std::move(kernel)), noise_variance_(noise_variance) {}

  /// reserve makes fits up to n points in d dimensions free of allocation.
  void reserve(Index n, Index dimension);

  /// fit conditions on the observations `y` at `inputs`. The outcome tells the jitter it took.
  numeric::FactorOutcome fit(const Inputs& inputs, const Vector& y, const Vector& theta,
                             KnownNoise known_noise = {});

  /// fit_grown does so by fitting to the first `base` points and adding the others one by one.
  /// Those that an earlier fit to the same first points, with the same theta and noise, has added
  /// are not added again: each further one costs O(n^2).
  numeric::FactorOutcome fit_grown(const Inputs& inputs, const Vector& y, const Vector& theta,
                                   Index base, KnownNoise known_noise = {});

  /// set_noise_variance takes effect with the next fit.
  void set_noise_variance(double noise_variance) { noise_variance_ = noise_variance; }
  [[nodiscard]] double noise_variance() const { return noise_variance_; }

  /// condition_on_pending conditions on a point whose value is not known yet, as if its mean had
  /// been observed there: the mean stays as it is everywhere and the variance shrinks. O(n^2).
  void condition_on_pending(std::span<const double> x);

  /// at returns the moments at x.
  Moments at(std::span<const double> x);

  /// predict fills in moments and gradients of all the points, which cost little more together than
  /// one of them.
  void predict(std::span<LocalPrediction> points);

  /// at_batch predicts at all points of the batch in one pass.
  void at_batch(PredictionBatch& batch);

  /// joint_covariance also writes the posterior covariance of the batch's points, latent, to the
  /// lower triangle (whole tiles) of `covariance`, and their predictions as at_batch does.
  void joint_covariance(PredictionBatch& batch, PaddedMatrix& covariance);

  /// leave_one_out returns, for each observation, mean and variance (noise included) of its
  /// prediction from all the others.
  [[nodiscard]] std::vector<Moments> leave_one_out() const;

  [[nodiscard]] double log_marginal_likelihood() const;

  /// fitted_means returns the mean at each observation: y_i - s2_i alpha_i, since
  /// A alpha = y.
  [[nodiscard]] Vector fitted_means() const;

  /// mean_function returns the mean by itself.
  [[nodiscard]] MeanFunction mean_function() const { return {kernel_, theta_, encoded_, alpha_}; }

  [[nodiscard]] Index size() const { return n_; }
  [[nodiscard]] double jitter() const { return jitter_; }

  /// information_gain returns (log|A| - sum_i log s2_i) / 2 over the observations, which is
  /// log|I + K / s2| / 2 where none of the noise is known.
  [[nodiscard]] double information_gain() const;

  /// inverse_pivots()[j] = 1 / L_jj, where L_jj^2 is the predictive variance of observation j given
  /// the ones before it.
  [[nodiscard]] const Vector& inverse_pivots() const { return cholesky_.inverse_diagonal(); }

  /// residuals()[j] = z_j, the standardised one-step-ahead residual.
  [[nodiscard]] const Vector& residuals() const { return z_; }

  /// doubles_held returns how many doubles the object has memory for: from 500 points on at most
  /// 2.3 n^2, most of which are L and U with some room for more points.
  [[nodiscard]] Index doubles_held() const;

 private:
  void grow_workspace(Index n);
  [[nodiscard]] bool continues(const Inputs& inputs, const Vector& theta, Index base,
                               KnownNoise known_noise) const;
  void remember(const Inputs& inputs, Index first);
  [[nodiscard]] bool append(std::span<const double> x, double noise_variance);
  void forget_pending();
  void observe(const Vector& y);
  void covariance_with(std::span<const double> x);
  [[nodiscard]] Moments moments_of(std::span<const double> x, Index column) const;

  KernelHandle kernel_;
  double noise_variance_;
  double jitter_ = 0.0;
  Index n_ = 0;             // points conditioned on, pending ones included
  Index observations_ = 0;  // of these, observed
  Index base_ = 0;          // of these, factorized at once; 0: nothing to continue from
  double fitted_noise_variance_ = 0.0;
  std::vector<double> known_noise_;  // of the observations
  Index reserved_ = 0;               // points for which no workspace allocates
  Index dimension_ = 0;
  Vector theta_;
  std::vector<double> observed_;  // the observed points, one after the other
  PaddedMatrix encoded_;          // all points as the kernel wants them
  numeric::Cholesky cholesky_;
  PaddedMatrix U_;  // L^{-T}
  Vector y_;
  Vector z_;
  Vector alpha_;

  // Workspace of evaluations, a column for each point.
  PaddedMatrix K_;                    // k(x, X)
  PaddedMatrix V_;                    // L^{-1} k
  PaddedMatrix W_;                    // A^{-1} k
  std::vector<PaddedMatrix> slopes_;  // of k, as the kernel wants them
};

}  // namespace oscbo::gp
