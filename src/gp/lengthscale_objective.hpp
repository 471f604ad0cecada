// The function that every lengthscale rule minimises:
//
//   J(theta) = sum_j a_j log L_jj^2 + sum_j b_j |z_j|^p + constant,      A = K + S = L L^T,
//
// where K is the kernel matrix of the points for the hyperparameters theta, L is the Cholesky
// factor of A, and S = diag(s2_1, ..., s2_n) is the noise: s2_j is the noise variance s2 of the
// model unless the noise of observation j is known. L_jj^2 = var_{j-1}(x_j) + s2_j is the
// predictive variance of observation j given the earlier ones, and z = L^{-1} y are the
// standardised one-step-ahead residuals. Both Proposition 1 of the paper (weighted sharpness and
// calibration of each point) and the negative log marginal likelihood have this form. They differ
// only in a, b and p.
#pragma once

#include <optional>

#include "gp/kernel.hpp"
#include "gp/known_noise.hpp"
#include "gp/lengthscale_scan.hpp"
#include "gp/objective_terms.hpp"
#include "numeric/cholesky.hpp"

namespace oscbo::gp {

/// The affine part of a model y = location + scale (f + noise), where f has variance one.
struct Affine {
  double location = 0.0;
  double scale = 1.0;
};

/// Owns the workspace of the evaluations. Up to 256 points, only the first evaluation at a given n
/// allocates. A copy starts with its own empty workspace, so copying is cheap. Data and terms are
/// held by reference and must outlive the evaluations.
class LengthscaleObjective {
 public:
  LengthscaleObjective(KernelHandle kernel, double noise_variance)
      : kernel_(std::move(kernel)), noise_variance_(noise_variance) {}

  /// learn_noise makes s2 a further entry of theta.
  void learn_noise() { learns_noise_ = true; }

  /// profile_affine_part makes J the negative log likelihood of y = m + s (f + noise) at the best m
  /// and s for theta, up to a constant:
  ///
  ///   J = (n+1)/2 log s^2 + sum_j log L_jj,   m = 1^T A^{-1} y / 1^T A^{-1} 1,
  ///   s^2 = (|L^{-1} (y - m 1)|^2 + 1) / (n + 1).
  ///
  /// The +1 stands for one imaginary observation, which states that y is standardised. The terms
  /// must be likelihood_terms.
  ///
  /// Known noise is given in units of y, so its value in the model depends on s. If any noise is
  /// known, s becomes the last entry of theta, the known entries of S are divided by s^2, and J is
  /// the likelihood at that s:
  ///
  ///   J = (n+1)/2 (log s^2 - 1) + sum_j log L_jj + (|L^{-1} (y - m 1)|^2 + 1) / (2 s^2).
  void profile_affine_part() { profiles_ = true; }

  /// affine returns m and s of the last evaluation.
  [[nodiscard]] const Affine& affine() const { return affine_; }

  /// reserve makes evaluations of up to n points free of allocation.
  void reserve(Index n);

  /// release frees the workspace if there are more than 256 points.
  void release();

  void set_data(const Inputs& inputs, const Vector& y, KnownNoise known_noise = {}) {
    inputs_ = &inputs;
    y_ = &y;
    known_noise_ = known_noise;
  }
  void set_terms(const ObjectiveTerms& terms) { terms_ = &terms; }

  /// value returns J, or infinity if A cannot be factorized even with jitter.
  double value(const Vector& theta);

  /// value_and_gradient also writes dJ/dtheta, which has as many entries as theta.
  double value_and_gradient(const Vector& theta, Vector& gradient);

  /// scan returns J at theta = (l, ..., l), with `entries` entries, for each lengthscale l. It may
  /// keep the Cholesky factors, so that a later call with the same lengthscales reuses them for the
  /// same points. It keeps them only if Kernel::profile is not null, there are at most 256 points,
  /// profile_affine_part was not called, and no noise is known or learned.
  Vector scan(const Vector& lengthscales, Index entries);

  /// size returns the number of points.
  [[nodiscard]] Index size() const { return inputs_->size(); }

  /// evaluations counts factorizations since construction.
  [[nodiscard]] int evaluations() const { return evaluations_; }

 private:
  static constexpr Index kMostKept = 256;  // half a MiB per matrix

  void reserve_for_values(Index n);
  /// has_scale tells whether the scale is an entry of theta.
  [[nodiscard]] bool has_scale() const { return profiles_ && !known_noise_.empty(); }
  bool factorize(const Vector& theta, bool with_slopes);
  [[nodiscard]] Vector quick_scan(const Vector& lengthscales);
  double value_from_factor();
  double profiled_value_from_factor();
  void fill_middle_times_inverse();
  template <class Weight>
  [[nodiscard]] double weighted_trace(const Weight& weight) const;
  [[nodiscard]] double noise_gradient() const;
  [[nodiscard]] double scale_gradient() const;

  KernelHandle kernel_;
  double noise_variance_;
  bool learns_noise_ = false;
  bool profiles_ = false;
  Affine affine_;
  const Inputs* inputs_ = nullptr;
  const Vector* y_ = nullptr;
  KnownNoise known_noise_;
  const ObjectiveTerms* terms_ = nullptr;
  int evaluations_ = 0;

  /// Temporary data of an evaluation. Copying an objective does not copy it.
  struct Workspace {
    Workspace() = default;
    Workspace(const Workspace& /*other*/) {}
    Workspace(Workspace&&) noexcept = default;
    Workspace& operator=(const Workspace& /*other*/) {
      scan.reset();  // it belongs to another kernel
      return *this;
    }
    Workspace& operator=(Workspace&&) noexcept = default;
    ~Workspace() = default;

    numeric::Cholesky cholesky;  // of A; two rows below, y and all ones, become z and L^{-1} 1
    Vector z;                    // L^{-1} y, or L^{-1} (y - m 1)
    Vector residual_slope;       // d(sum_j b_j |z_j|^p) / dz
    KernelSlopes slopes;
    PaddedMatrix U;          // L^{-T}
    PaddedMatrix R;          // U Q, see fill_middle_times_inverse
    Vector running;          // a prefix or suffix sum of columns of U
    Vector kernel_theta;     // theta without noise variance and scale
    Vector kernel_gradient;  // gradient with respect to kernel_theta
    std::optional<LengthscaleScan> scan;
  };
  Workspace work_;
};

}  // namespace oscbo::gp
