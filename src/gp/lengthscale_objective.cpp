#include "gp/lengthscale_objective.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace oscbo::gp {

using numeric::kLanes;
using numeric::Packet;
using numeric::packet_at;
using numeric::round_up_to_lanes;

ObjectiveTerms likelihood_terms(Index n) {
  return {.log_pivot_weights = Vector::Constant(n, 0.5),
          .residual_weights = Vector::Constant(n, 0.5),
          .exponent = 2.0,
          .constant = 0.5 * static_cast<double>(n) * std::log(2.0 * std::numbers::pi)};
}

void LengthscaleObjective::reserve(Index n) {
  cholesky_.reserve(n);
  for (PaddedMatrix* matrix : {&slope_, &U_, &R_, &weighted_}) {
    matrix->reserve_for(n, n);
  }
  for (Vector* vector : {&z_, &residual_slope_, &running_}) {
    if (vector->size() < round_up_to_lanes(n)) vector->setZero(round_up_to_lanes(n));
  }
}

bool LengthscaleObjective::factorize(const Vector& lengthscales, bool with_slope) {
  const Index n = inputs_->size();
  reserve(n);
  ++evaluations_;
  const auto fill = [&](PaddedMatrix& A, double jitter) {
    A.resize(n + 1, n);
    if (with_slope) {
      slope_.resize(n, n);
      inputs_->kernel_matrix_with_slope(shape_, lengthscales, A, slope_);
    } else {
      inputs_->kernel_matrix(shape_, lengthscales, A);
    }
    for (Index j = 0; j < n; ++j) {
      A(j, j) = 1.0 + noise_variance_ + jitter;
      A(n, j) = (*y_)[j];
    }
  };
  return factorize_with_jitter(cholesky_, n, fill).ok;
}

double LengthscaleObjective::value_from_factor() {
  const Index n = inputs_->size();
  const double p = terms_->exponent;
  double sum = terms_->constant;
  for (Index j = 0; j < n; ++j) {
    z_[j] = cholesky_.L()(n, j);
    const double magnitude = std::abs(z_[j]);
    const double b = terms_->residual_weights[j];
    sum += b * (p == 1.0 ? magnitude : magnitude * magnitude);
    // The subgradient of |z| at 0 is 0.
    const double sign = static_cast<double>(z_[j] > 0.0) - static_cast<double>(z_[j] < 0.0);
    residual_slope_[j] = b * (p == 1.0 ? sign : 2.0 * z_[j]);
  }
  return sum - 2.0 * (terms_->log_pivot_weights.head(n).array() *
                      cholesky_.inverse_diagonal().head(n).array().log())
                         .sum();
}

double LengthscaleObjective::value(const Vector& lengthscales) {
  if (!factorize(lengthscales, false)) return std::numeric_limits<double>::infinity();
  return value_from_factor();
}

// With S = L^{-1} dA L^{-T} and Phi taking the lower triangle with half the diagonal,
// dL = L Phi(S) and dz = -Phi(S) z. Writing w for dJ/dz, the derivative is <Q, S> with
//
//   Q_jj = a_j - w_j z_j / 2,      Q_ij = Q_ji = -w_i z_j / 2  for i > j,
//
// so dJ = <U Q U^T, dA>: one sandwich serves the log-determinant and the residuals together. Q is
// semiseparable, so R = U Q needs only running sums of the columns u_j of U, O(n^2) in all:
//
//   r_k = (a_k - w_k z_k / 2) u_k - (w_k / 2) sum_{j<k} z_j u_j - (z_k / 2) sum_{j>k} w_j u_j.
//
// Rows of r_k below k are not needed: the sandwich is formed in its lower triangle only.
void LengthscaleObjective::fill_middle_times_inverse() {
  const Index n = inputs_->size();
  R_.resize(n, n);
  running_.setZero();
  for (Index k = 0; k < n; ++k) {
    const double* u = U_.column(k);
    double* r = R_.column(k);
    const double own = terms_->log_pivot_weights[k] - 0.5 * residual_slope_[k] * z_[k];
    for (Index i = 0; i <= k; i += kLanes) {
      Packet& before = packet_at(running_.data() + i);
      packet_at(r + i) = own * packet_at(u + i) - 0.5 * residual_slope_[k] * before;
      before += z_[k] * packet_at(u + i);
    }
  }
  running_.setZero();
  for (Index k = n - 1; k >= 0; --k) {
    const double* u = U_.column(k);
    double* r = R_.column(k);
    for (Index i = 0; i <= k; i += kLanes) {
      Packet& after = packet_at(running_.data() + i);
      packet_at(r + i) -= 0.5 * z_[k] * after;
      after += residual_slope_[k] * packet_at(u + i);
    }
  }
}

double LengthscaleObjective::value_and_gradient(const Vector& lengthscales, Vector& gradient) {
  if (!factorize(lengthscales, true)) {
    gradient.setZero();
    return std::numeric_limits<double>::infinity();
  }
  const Index n = inputs_->size();
  const double value = value_from_factor();
  cholesky_.inverse_transposed(U_);
  fill_middle_times_inverse();

  // dA_ij/dtheta_k = psi(r_ij) (x_ik - x_jk)^2 / theta_k^3, twice for the two triangles.
  if (lengthscales.size() == 1) {
    inputs_->multiply_by_squares(slope_);
    gradient[0] = 2.0 * contract_sandwich(U_, R_, n, slope_);
  } else {
    weighted_.resize(n, n);
    contract_sandwich(U_, R_, n, slope_, &weighted_);
    inputs_->sums_of_squares(weighted_, gradient);
    gradient *= 2.0;
  }
  gradient.array() /= lengthscales.array().cube();
  return value;
}

}  // namespace oscbo::gp
