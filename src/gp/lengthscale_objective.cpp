#include "gp/lengthscale_objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace oscbo::gp {

void LengthscaleObjective::reserve(Index n) {
  reserve_for_values(n);
  work_.slopes.reserve(n);
  for (PaddedMatrix* matrix : {&work_.U, &work_.R}) matrix->reserve(n, n);
}

void LengthscaleObjective::release() {
  if (inputs_->size() > kMostKept) work_ = Workspace();
}

void LengthscaleObjective::reserve_for_values(Index n) {
  work_.cholesky.reserve(n);
  for (Vector* vector : {&work_.z, &work_.residual_slope, &work_.running}) {
    if (vector->size() < round_up_to_lanes(n)) vector->setZero(round_up_to_lanes(n));
  }
}

bool LengthscaleObjective::factorize(const Vector& theta, bool with_slopes) {
  const Index n = inputs_->size();
  const Index count = theta.size() - (learns_noise_ ? 1 : 0) - (has_scale() ? 1 : 0);
  work_.kernel_theta = theta.head(count);
  const double noise_variance = learns_noise_ ? theta[count] : noise_variance_;
  affine_.scale = has_scale() ? theta[theta.size() - 1] : 1.0;
  if (with_slopes) {
    reserve(n);
  } else {
    reserve_for_values(n);
  }
  ++evaluations_;
  const auto fill = [&](PaddedMatrix& A) {
    A.resize(n + (profiles_ ? 2 : 1), n);
    if (with_slopes) {
      kernel_->matrix_with_slopes(*inputs_, work_.kernel_theta, A, work_.slopes);
    } else {
      kernel_->matrix(*inputs_, work_.kernel_theta, A);
    }
    for (Index j = 0; j < n; ++j) {
      A(j, j) += noise_of(known_noise_, j, noise_variance, affine_.scale);
      A(n, j) = (*y_)[j];
      if (profiles_) A(n + 1, j) = 1.0;
    }
  };
  return factorize_with_jitter(work_.cholesky, n, fill).ok;
}

// dJ/dm and dJ/ds vanish, so the residuals L^{-1} (y - m 1) and their slopes at fixed m and s yield
// the whole gradient.
double LengthscaleObjective::profiled_value_from_factor() {
  const Index n = inputs_->size();
  double ones_squared = 0.0;
  double ones_times_y = 0.0;
  for (Index j = 0; j < n; ++j) {
    const double one = work_.cholesky.L()(n + 1, j);
    ones_squared += one * one;
    ones_times_y += one * work_.cholesky.L()(n, j);
  }
  affine_.location = ones_times_y / ones_squared;
  for (Index j = 0; j < n; ++j) {
    work_.z[j] = work_.cholesky.L()(n, j) - affine_.location * work_.cholesky.L()(n + 1, j);
  }
  const auto count = static_cast<double>(n + 1);
  const double squares = work_.z.head(n).squaredNorm() + 1.0;
  if (!has_scale()) affine_.scale = std::sqrt(squares / count);
  const double scale_squared = has_scale() ? affine_.scale * affine_.scale : squares / count;
  work_.residual_slope.head(n) = work_.z.head(n) / scale_squared;
  const double value = 0.5 * count * std::log(scale_squared) -
                       work_.cholesky.inverse_diagonal().head(n).array().log().sum();
  return has_scale() ? value + 0.5 * (squares / scale_squared - count) : value;
}

double LengthscaleObjective::value_from_factor() {
  if (profiles_) return profiled_value_from_factor();
  const Index n = inputs_->size();
  const double p = terms_->exponent;
  double sum = terms_->constant;
  for (Index j = 0; j < n; ++j) {
    work_.z[j] = work_.cholesky.L()(n, j);
    const double magnitude = std::abs(work_.z[j]);
    const double b = terms_->residual_weights[j];
    sum += b * (p == 1.0 ? magnitude : magnitude * magnitude);
    // The subgradient of |z| at 0 is 0.
    const double sign =
        static_cast<double>(work_.z[j] > 0.0) - static_cast<double>(work_.z[j] < 0.0);
    work_.residual_slope[j] = b * (p == 1.0 ? sign : 2.0 * work_.z[j]);
  }
  return sum - 2.0 * (terms_->log_pivot_weights.head(n).array() *
                      work_.cholesky.inverse_diagonal().head(n).array().log())
                         .sum();
}

double LengthscaleObjective::value(const Vector& theta) {
  if (!factorize(theta, false)) return std::numeric_limits<double>::infinity();
  return value_from_factor();
}

Vector LengthscaleObjective::scan(const Vector& lengthscales, Index entries) {
  Vector values = quick_scan(lengthscales);
  for (Index i = 0; i < lengthscales.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    values[i] = value(Vector::Constant(entries, lengthscales[i]));
  }
  return values;
}

/// Returns J from stored factors, or NaN where there are none.
Vector LengthscaleObjective::quick_scan(const Vector& lengthscales) {
  const RadialProfile* const profile = kernel_->profile();
  if (profile == nullptr || learns_noise_ || profiles_ || size() > kMostKept ||
      !known_noise_.empty()) {
    work_.scan.reset();
    return Vector::Constant(lengthscales.size(), std::numeric_limits<double>::quiet_NaN());
  }
  if (!work_.scan || !std::ranges::equal(work_.scan->lengthscales(), lengthscales)) {
    work_.scan.emplace(*profile, noise_variance_, lengthscales);
  }
  return work_.scan->values(*inputs_, *y_, *terms_);
}

// Let S = L^{-1} dA L^{-T}, and let Phi(S) be the lower triangle of S with half the diagonal. Then
// dL = L Phi(S) and dz = -Phi(S) z. With w = dJ/dz, the derivative is <Q, S> where
//
//   Q_jj = a_j - w_j z_j / 2,      Q_ij = Q_ji = -w_i z_j / 2  for i > j.
//
// So dJ = <U Q U^T, dA>, and one product U Q U^T serves both the log-determinant and the residuals.
// Q is semiseparable, so R = U Q needs only running sums of the columns u_j of U, O(n^2) in all:
//
//   r_k = (a_k - w_k z_k / 2) u_k - (w_k / 2) sum_{j<k} z_j u_j - (z_k / 2) sum_{j>k} w_j u_j.
//
// The rows of r_k below k are not needed, because only the lower triangle of U Q U^T is formed.
void LengthscaleObjective::fill_middle_times_inverse() {
  const Index n = inputs_->size();
  work_.R.resize(n, n);
  work_.running.setZero();
  for (Index k = 0; k < n; ++k) {
    const double* u = work_.U.column(k);
    double* r = work_.R.column(k);
    const double own = terms_->log_pivot_weights[k] - 0.5 * work_.residual_slope[k] * work_.z[k];
    for (Index i = 0; i <= k; i += kLanes) {
      Packet& before = packet_at(work_.running.data() + i);
      packet_at(r + i) = own * packet_at(u + i) - 0.5 * work_.residual_slope[k] * before;
      before += work_.z[k] * packet_at(u + i);
    }
  }
  work_.running.setZero();
  for (Index k = n - 1; k >= 0; --k) {
    const double* u = work_.U.column(k);
    double* r = work_.R.column(k);
    for (Index i = 0; i <= k; i += kLanes) {
      Packet& after = packet_at(work_.running.data() + i);
      packet_at(r + i) -= 0.5 * work_.z[k] * after;
      after += work_.residual_slope[k] * packet_at(u + i);
    }
  }
}

/// Returns sum_i weight(i) [U Q U^T]_ii, where U Q U^T = U R^T (fill_middle_times_inverse).
template <class Weight>
double LengthscaleObjective::weighted_trace(const Weight& weight) const {
  double trace = 0.0;
  for (Index k = 0; k < inputs_->size(); ++k) {
    for (Index i = 0; i <= k; ++i) trace += weight(i) * work_.U(i, k) * work_.R(i, k);
  }
  return trace;
}

// dA_ii/ds2 is 1 if the noise of observation i is unknown, and 0 otherwise.
double LengthscaleObjective::noise_gradient() const {
  return weighted_trace([this](Index i) { return is_known(known_noise_, i) ? 0.0 : 1.0; });
}

// If the noise of observation i is known and above its minimum, dA_ii/ds = -2 (noise in A_ii) / s.
// The terms of J that contain s directly are (n+1) log s + (|z|^2 + 1) / (2 s^2).
double LengthscaleObjective::scale_gradient() const {
  const Index n = inputs_->size();
  const double s = affine_.scale;
  const double share = weighted_trace([&](Index i) {
    const double noise = noise_of(known_noise_, i, 0.0, s);
    return noise > kSmallestKnownNoise ? noise : 0.0;
  });
  const double squares = work_.z.head(n).squaredNorm() + 1.0;
  return (static_cast<double>(n + 1) - squares / (s * s) - 2.0 * share) / s;
}

double LengthscaleObjective::value_and_gradient(const Vector& theta, Vector& gradient) {
  if (!factorize(theta, true)) {
    gradient.setZero();
    return std::numeric_limits<double>::infinity();
  }
  const double value = value_from_factor();
  work_.cholesky.inverse_transposed(work_.U);
  fill_middle_times_inverse();

  work_.kernel_gradient.resize(work_.kernel_theta.size());
  kernel_->theta_gradient(
      *inputs_, work_.kernel_theta, work_.slopes,
      [this](const PaddedMatrix& W, PaddedMatrix* product) {
        return contract_sandwich(work_.U, work_.R, inputs_->size(), W, product);
      },
      work_.kernel_gradient);
  gradient.head(work_.kernel_theta.size()) = work_.kernel_gradient;
  if (learns_noise_) gradient[work_.kernel_theta.size()] = noise_gradient();
  if (has_scale()) gradient[theta.size() - 1] = scale_gradient();
  return value;
}

}  // namespace oscbo::gp
