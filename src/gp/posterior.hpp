// The posterior of a Gaussian process with zero mean and noisy observations:
//
//   mu(x) = k(x)^T alpha,   var(x) = k(x, x) - |L^{-1} k(x)|^2   (latent: without the noise),
//
// with A = K + diag(s2_1, ..., s2_n) = L L^T, z = L^{-1} y and alpha = L^{-T} z. Here K holds the
// prior covariances between the n observed points, and k(x) those between x and these points. s2_j
// is the noise variance of observation j if it is known, otherwise the noise variance of the model.
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

/// The mean of a posterior, mu(x) = sum_i alpha_i k(x_i, x), as an immutable value that may outlive
/// the posterior.
class MeanFunction {
 public:
  MeanFunction(KernelHandle kernel, Vector theta, PaddedMatrix encoded, Vector alpha)
      : kernel_(std::move(kernel)),
        theta_(std::move(theta)),
        encoded_(std::move(encoded)),
        alpha_(std::move(alpha)) {}

  /// Temporary data that consecutive evaluations can share.
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

/// Not thread-safe: evaluations share a workspace that the object owns. Up to 256 points,
/// evaluations allocate nothing.
class Posterior {
 public:
  Posterior(KernelHandle kernel, double noise_variance)
      : kernel_(std::move(kernel)), noise_variance_(noise_variance) {}

  /// reserve makes fits of up to n points free of allocation.
  void reserve(Index n, Index dimension);

  /// fit conditions on the observations `y` at `inputs`. The outcome states the jitter that was
  /// needed.
  numeric::FactorOutcome fit(const Inputs& inputs, const Vector& y, const Vector& theta,
                             KnownNoise known_noise = {});

  /// fit_grown fits the first `base` points and adds the others one by one, each in O(n^2). If the
  /// last fit had the same base, theta and noise, and its points are the first ones of `inputs`,
  /// only the new points are added.
  numeric::FactorOutcome fit_grown(const Inputs& inputs, const Vector& y, const Vector& theta,
                                   Index base, KnownNoise known_noise = {});

  /// set_noise_variance takes effect with the next fit.
  void set_noise_variance(double noise_variance) { noise_variance_ = noise_variance; }
  [[nodiscard]] double noise_variance() const { return noise_variance_; }

  /// condition_on_pending conditions on a point whose value is not known yet, as if the mean had
  /// been observed there. The mean stays the same everywhere, and the variance shrinks. Takes
  /// O(n^2).
  void condition_on_pending(std::span<const double> x);

  /// at returns the moments at x.
  Moments at(std::span<const double> x);

  /// predict fills in the moments and gradients of all points. Predicting all points in one call
  /// costs little more than predicting a single point.
  void predict(std::span<LocalPrediction> points);

  /// at_batch predicts at all points of the batch in one pass.
  void at_batch(PredictionBatch& batch);

  /// joint_covariance predicts as at_batch does. It also writes the latent posterior covariance of
  /// the points to the lower triangle (whole tiles) of `covariance`.
  void joint_covariance(PredictionBatch& batch, PaddedMatrix& covariance);

  /// leave_one_out returns, for each observation, the mean and variance (including noise) of its
  /// prediction from all others.
  [[nodiscard]] std::vector<Moments> leave_one_out() const;

  [[nodiscard]] double log_marginal_likelihood() const;

  /// fitted_means returns the mean at each observation. Since A alpha = y, this is
  /// y_i - s2_i alpha_i.
  [[nodiscard]] Vector fitted_means() const;

  /// mean_function returns the mean as a separate value.
  [[nodiscard]] MeanFunction mean_function() const {
    return {kernel_, theta_, encoded_, solution_.alpha};
  }

  [[nodiscard]] Index size() const { return n_; }
  [[nodiscard]] double jitter() const { return jitter_; }

  /// information_gain returns (log|A| - sum_i log s2_i) / 2 over the observations. If all of them
  /// have the noise variance s2 of the model, this is log|I + K / s2| / 2.
  [[nodiscard]] double information_gain() const;

  /// inverse_pivots()[j] = 1 / L_jj, where L_jj^2 is the predictive variance of observation j given
  /// the earlier ones.
  [[nodiscard]] const Vector& inverse_pivots() const { return cholesky_.inverse_diagonal(); }

  /// residuals()[j] = z_j, the standardised one-step-ahead residual.
  [[nodiscard]] const Vector& residuals() const { return solution_.z; }

  /// doubles_held returns how many doubles the object has memory for. With 500 or more points it is
  /// at most 2.3 n^2, mostly L and U = L^{-T} with some room for more points.
  [[nodiscard]] Index doubles_held() const;

 private:
  /// Facts about the last fit, from which the next fit finds out whether it only adds points.
  struct LastFit {
    Index base = 0;  // the number of observations factorized at once; 0: cannot be extended
    double noise_variance = 0.0;
    std::vector<double> known_noise;  // of the observations
    std::vector<double> points;       // the observed ones, one after the other

    /// add_points appends to `points` the inputs that it does not have yet.
    void add_points(const Inputs& inputs);
    [[nodiscard]] bool has_first_points_of(const Inputs& inputs) const;
    [[nodiscard]] bool has_first_noise_of(KnownNoise noise, Index observations) const;
  };

  /// The values of the points, and two vectors computed from them: z = L^{-1} y and alpha = A^{-1}
  /// y.
  struct Solution {
    Vector y;
    Vector z;
    Vector alpha;

    void grow(Index n);
    [[nodiscard]] Index doubles_held() const { return y.size() + z.size() + alpha.size(); }
  };

  /// Temporary data of evaluations, with a column for each point.
  struct Workspace {
    PaddedMatrix K;                    // k(x, X)
    PaddedMatrix V;                    // L^{-1} k
    PaddedMatrix W;                    // A^{-1} k
    std::vector<PaddedMatrix> slopes;  // of k, as the kernel writes them

    void reserve(Index n, Index columns);
    [[nodiscard]] Index doubles_held() const;
  };

  void grow_workspace(Index n);
  [[nodiscard]] bool continues(const Inputs& inputs, const Vector& theta, Index base,
                               KnownNoise known_noise) const;
  [[nodiscard]] bool append(std::span<const double> x, double noise_variance);
  void forget_pending();
  void observe(const Vector& y);
  void covariance_with(std::span<const double> x);
  [[nodiscard]] Moments moments_of(std::span<const double> x, Index column) const;

  KernelHandle kernel_;
  double noise_variance_;
  double jitter_ = 0.0;
  Index n_ = 0;             // points conditioned on, including pending ones
  Index observations_ = 0;  // the number of observed points among them
  Index reserved_ = 0;      // number of points for which memory is reserved
  Index dimension_ = 0;
  Vector theta_;
  LastFit last_fit_;
  PaddedMatrix encoded_;  // all points as the kernel encodes them
  numeric::Cholesky cholesky_;
  PaddedMatrix U_;  // L^{-T}
  Solution solution_;
  Workspace work_;
};

}  // namespace oscbo::gp
