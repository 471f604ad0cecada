#include "gp/posterior.hpp"

#include <cmath>
#include <numbers>

namespace oscbo::gp {

using numeric::kLanes;
using numeric::Packet;
using numeric::packet_at;
using numeric::round_down_to_lanes;
using numeric::round_up_to_lanes;

namespace {

/// Makes the vector at least `size` long, keeping what it holds and zeroing the rest.
void grow_to(Vector& vector, Index size) {
  const Index old = vector.size();
  if (old >= size) return;
  vector.conservativeResize(size);
  vector.tail(size - old).setZero();
}

double dot(const Vector& a, const Vector& b, Index padded) {
  Packet sum{};
  for (Index i = 0; i < padded; i += kLanes)
    sum += packet_at(a.data() + i) * packet_at(b.data() + i);
  return numeric::sum_of_lanes(sum);
}

}  // namespace

void PredictionBatch::resize(Index count, Index dimension) {
  points.resize(count, dimension);
  points.set_zero();
  grow_to(means, points.padded_rows());
  grow_to(variances, points.padded_rows());
}

void Posterior::reserve(Index n, Index dimension) {
  reserved_ = std::max(reserved_, n);
  cholesky_.reserve(n);
  U_.reserve(n, n);
  scaled_.reserve(n, dimension);
  for (Vector* vector : {&z_, &y_, &alpha_, &k_, &slope_, &v_, &w_}) {
    grow_to(*vector, round_up_to_lanes(n));
  }
}

numeric::FactorOutcome Posterior::fit(const Inputs& inputs, const Vector& y,
                                      const Vector& lengthscales) {
  n_ = observations_ = inputs.size();
  dimension_ = inputs.dimension();
  reserve(n_, dimension_);
  lengthscales_.resize(dimension_);
  for (Index k = 0; k < dimension_; ++k) {
    lengthscales_[k] = lengthscales[lengthscales.size() == 1 ? 0 : k];
  }

  scaled_.resize(n_, dimension_);
  for (Index k = 0; k < dimension_; ++k) {
    const double factor = 1.0 / lengthscales_[k];
    for (Index i = 0; i < scaled_.padded_rows(); i += kLanes) {
      packet_at(scaled_.column(k) + i) = packet_at(inputs.X().column(k) + i) * factor;
    }
  }

  const numeric::FactorOutcome outcome =
      factorize_with_jitter(cholesky_, n_, [&](PaddedMatrix& A, double jitter) {
        A.resize(n_ + 1, n_);
        inputs.kernel_matrix(shape_, lengthscales, A);
        for (Index j = 0; j < n_; ++j) {
          A(j, j) = 1.0 + noise_variance_ + jitter;
          A(n_, j) = y[j];
        }
      });
  jitter_ = outcome.jitter;
  if (!outcome.ok) return outcome;

  z_.setZero();
  v_.setZero();
  for (Index j = 0; j < n_; ++j) {
    y_[j] = y[j];
    z_[j] = cholesky_.L()(n_, j);
  }
  cholesky_.inverse_transposed(U_);
  upper_times(U_, n_, z_, alpha_);
  return outcome;
}

// The new row of the factor is (v^T, pivot) with v = L^{-1} k(x), and the new residual is zero, so
// z, alpha and the mean do not change; U gains the column (-U v, 1) / pivot.
void Posterior::condition_on_pending(std::span<const double> x) {
  covariance_with(x, false);
  if (!cholesky_.append(k_, 1.0 + noise_variance_ + jitter_))
    return;  // nothing left to learn there
  upper_transposed_times(U_, n_, k_, v_);
  upper_times(U_, n_, v_, w_);

  const double inverse_pivot = cholesky_.inverse_diagonal()[n_];
  U_.grow(n_ + 1, n_ + 1);
  for (Index i = 0; i < n_; ++i) U_(i, n_) = -w_[i] * inverse_pivot;
  U_(n_, n_) = inverse_pivot;
  scaled_.grow(n_ + 1, dimension_);
  for (Index k = 0; k < dimension_; ++k) {
    scaled_(n_, k) = x[static_cast<std::size_t>(k)] / lengthscales_[k];
  }
  ++n_;
  for (Vector* vector : {&z_, &y_, &alpha_, &k_, &slope_, &v_, &w_}) {
    grow_to(*vector, round_up_to_lanes(n_));
  }
}

void Posterior::covariance_with(std::span<const double> x, bool with_slope) {
  const Index padded = scaled_.padded_rows();
  std::fill_n(k_.data(), padded, 0.0);
  for (Index k = 0; k < dimension_; ++k) {
    const double centre = x[static_cast<std::size_t>(k)] / lengthscales_[k];
    const double* coordinates = scaled_.column(k);
    for (Index i = 0; i < padded; i += kLanes) {
      const Packet difference = packet_at(coordinates + i) - centre;
      packet_at(k_.data() + i) += difference * difference;
    }
  }
  take_roots(k_.data(), padded);
  if (with_slope) {
    evaluate_with_slope(shape_, k_.data(), slope_.data(), padded);
  } else {
    evaluate(shape_, k_.data(), padded);
  }
}

Moments Posterior::moments_from_covariance() {
  const Index padded = scaled_.padded_rows();
  upper_transposed_times(U_, n_, k_, v_);
  return {.mean = dot(k_, alpha_, padded),
          .variance = std::max(1.0 - dot(v_, v_, padded), kMinimumVariance)};
}

Moments Posterior::at(std::span<const double> x) {
  covariance_with(x, false);
  return moments_from_covariance();
}

// dk_i/dx_k = -psi_i (x_k - x_ik) / theta_k^2, dmu = alpha^T dk and dvar = -2 (A^{-1} k)^T dk.
Moments Posterior::at(std::span<const double> x, std::span<double> mean_gradient,
                      std::span<double> variance_gradient) {
  covariance_with(x, true);
  const Moments moments = moments_from_covariance();
  upper_times(U_, n_, v_, w_);
  const bool flat = moments.variance <= kMinimumVariance;

  for (Index k = 0; k < dimension_; ++k) {
    const double inverse = 1.0 / lengthscales_[k];
    const double centre = x[static_cast<std::size_t>(k)] * inverse;
    const double* coordinates = scaled_.column(k);
    Packet mean_sum{};
    Packet variance_sum{};
    for (Index i = 0; i < scaled_.padded_rows(); i += kLanes) {
      const Packet change = packet_at(slope_.data() + i) * (packet_at(coordinates + i) - centre);
      mean_sum += packet_at(alpha_.data() + i) * change;
      variance_sum += packet_at(w_.data() + i) * change;
    }
    const auto entry = static_cast<std::size_t>(k);
    mean_gradient[entry] = numeric::sum_of_lanes(mean_sum) * inverse;
    variance_gradient[entry] = flat ? 0.0 : -2.0 * numeric::sum_of_lanes(variance_sum) * inverse;
  }
  return moments;
}

// Lanes are points here: row p of the cross-covariance becomes (L^{-1} k_p)^T.
void Posterior::at_batch(PredictionBatch& batch) {
  PaddedMatrix& V = batch.cross_covariance;
  V.reserve(batch.points.rows(), reserved_);
  V.resize(batch.points.rows(), n_);
  const Index padded = V.padded_rows();
  for (Index j = 0; j < n_; ++j) {
    std::fill_n(V.column(j), padded, 0.0);
    for (Index k = 0; k < dimension_; ++k) {
      const double inverse = 1.0 / lengthscales_[k];
      for (Index p = 0; p < padded; p += kLanes) {
        const Packet difference = packet_at(batch.points.column(k) + p) * inverse - scaled_(j, k);
        packet_at(V.column(j) + p) += difference * difference;
      }
    }
    take_roots(V.column(j), padded);
    evaluate(shape_, V.column(j), padded);
  }
  cholesky_.solve_rows(V);

  batch.means.setZero();
  batch.variances.setOnes();
  for (Index j = 0; j < n_; ++j) {
    for (Index p = 0; p < padded; p += kLanes) {
      const Packet v = packet_at(V.column(j) + p);
      packet_at(batch.means.data() + p) += z_[j] * v;
      packet_at(batch.variances.data() + p) -= v * v;
    }
  }
  batch.variances = batch.variances.cwiseMax(kMinimumVariance);
}

double Posterior::mean_at_observation(Index i) const {
  return y_[i] - (noise_variance_ + jitter_) * alpha_[i];
}

// With [A^{-1}]_ii = sum_k U_ik^2: variance 1 / [A^{-1}]_ii and mean y_i - alpha_i times it.
std::vector<Moments> Posterior::leave_one_out() const {
  std::vector<Moments> result;
  for (Index i = 0; i < observations_; ++i) {
    double precision = 0.0;
    for (Index k = i; k < observations_; ++k) precision += U_(i, k) * U_(i, k);
    result.push_back({.mean = y_[i] - alpha_[i] / precision, .variance = 1.0 / precision});
  }
  return result;
}

double Posterior::log_marginal_likelihood() const {
  const auto n = static_cast<double>(observations_);
  return cholesky_.inverse_diagonal().head(observations_).array().log().sum() -
         0.5 * z_.head(observations_).squaredNorm() - 0.5 * n * std::log(2.0 * std::numbers::pi);
}

// K_cc - V V^T, where at_batch leaves L^{-1} k_p as row p of V.
void Posterior::joint_covariance(PredictionBatch& batch, PaddedMatrix& covariance) {
  at_batch(batch);
  const PaddedMatrix& V = batch.cross_covariance;
  const Index count = batch.points.rows();
  Inputs candidates(dimension_, count);
  std::vector<double> x(static_cast<std::size_t>(dimension_));
  for (Index p = 0; p < count; ++p) {
    for (Index k = 0; k < dimension_; ++k) x[static_cast<std::size_t>(k)] = batch.points(p, k);
    candidates.append(x);
  }
  covariance.resize(count, count);
  candidates.kernel_matrix(shape_, lengthscales_, covariance);
  for (Index q = 0; q < count; ++q) {
    for (Index j = 0; j < n_; ++j) {
      for (Index p = round_down_to_lanes(q); p < V.padded_rows(); p += kLanes) {
        packet_at(covariance.column(q) + p) -= packet_at(V.column(j) + p) * V(q, j);
      }
    }
  }
}

}  // namespace oscbo::gp
