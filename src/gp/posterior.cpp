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

void MeanFunction::gradient(std::span<const double> x, std::span<double> gradient,
                            Workspace& workspace) const {
  grow_to(workspace.k, encoded_.padded_rows());
  const auto dimension = static_cast<Index>(x.size());
  workspace.slopes.resize(encoded_.rows(), kernel_->slope_columns(dimension));
  workspace.unused.resize(x.size());
  kernel_->covariances(encoded_, x, theta_, workspace.k, &workspace.slopes);
  kernel_->pull_back(encoded_, x, theta_, workspace.slopes,
                     {.first_weights = alpha_,
                      .second_weights = workspace.k,
                      .first = gradient,
                      .second = workspace.unused});
}

void Posterior::reserve(Index n, Index dimension) {
  reserved_ = std::max(reserved_, n);
  dimension_ = dimension;
  cholesky_.reserve(n);
  U_.reserve(n, n);
  encoded_.reserve(n, dimension + 1);
  grow_workspace(n);
}

void Posterior::grow_workspace(Index n) {
  for (Vector* vector : {&z_, &y_, &alpha_, &k_, &v_, &w_}) {
    grow_to(*vector, round_up_to_lanes(n));
  }
  if (slopes_.rows() < n) slopes_.resize(n, kernel_->slope_columns(dimension_));
}

numeric::FactorOutcome Posterior::fit(const Inputs& inputs, const Vector& y, const Vector& theta) {
  n_ = observations_ = inputs.size();
  theta_ = theta;
  reserve(n_, inputs.dimension());
  kernel_->encode(inputs, theta_, encoded_);

  const numeric::FactorOutcome outcome = factorize_with_jitter(cholesky_, n_, [&](PaddedMatrix& A) {
    A.resize(n_ + 1, n_);
    kernel_->matrix(inputs, theta_, A);
    for (Index j = 0; j < n_; ++j) {
      A(j, j) += noise_variance_;
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
  const double diagonal = kernel_->variance(x, theta_) + noise_variance_ + jitter_;
  if (!cholesky_.append(k_, diagonal)) return;  // nothing left to learn there
  upper_transposed_times(U_, n_, k_, v_);
  upper_times(U_, n_, v_, w_);

  const double inverse_pivot = cholesky_.inverse_diagonal()[n_];
  U_.grow(n_ + 1, n_ + 1);
  for (Index i = 0; i < n_; ++i) U_(i, n_) = -w_[i] * inverse_pivot;
  U_(n_, n_) = inverse_pivot;
  kernel_->append_encoded(x, theta_, encoded_);
  ++n_;
  grow_workspace(n_);
}

void Posterior::covariance_with(std::span<const double> x, bool with_slopes) {
  kernel_->covariances(encoded_, x, theta_, k_, with_slopes ? &slopes_ : nullptr);
}

Moments Posterior::moments_from_covariance(std::span<const double> x) {
  const Index padded = encoded_.padded_rows();
  upper_transposed_times(U_, n_, k_, v_);
  return {
      .mean = dot(k_, alpha_, padded),
      .variance = std::max(kernel_->variance(x, theta_) - dot(v_, v_, padded), kMinimumVariance)};
}

Moments Posterior::at(std::span<const double> x) {
  covariance_with(x, false);
  return moments_from_covariance(x);
}

// dmu = alpha^T dk and dvar = dk(x, x) - 2 (A^{-1} k)^T dk.
Moments Posterior::at(std::span<const double> x, std::span<double> mean_gradient,
                      std::span<double> variance_gradient) {
  covariance_with(x, true);
  const Moments moments = moments_from_covariance(x);
  upper_times(U_, n_, v_, w_);
  kernel_->pull_back(encoded_, x, theta_, slopes_,
                     {.first_weights = alpha_,
                      .second_weights = w_,
                      .first = mean_gradient,
                      .second = variance_gradient});
  const double factor = moments.variance <= kMinimumVariance ? 0.0 : -2.0;
  for (double& entry : variance_gradient) entry *= factor;
  if (factor != 0.0) kernel_->add_variance_gradient(x, theta_, variance_gradient);
  return moments;
}

// Lanes are points here: row p of the cross-covariance becomes (L^{-1} k_p)^T.
void Posterior::at_batch(PredictionBatch& batch) {
  PaddedMatrix& V = batch.cross_covariance;
  V.reserve(batch.points.rows(), reserved_);
  V.resize(batch.points.rows(), n_);
  const Index padded = V.padded_rows();
  kernel_->covariances_of_batch(encoded_, batch.points, theta_, V, batch.variances);
  cholesky_.solve_rows(V);

  batch.means.setZero();
  for (Index j = 0; j < n_; ++j) {
    for (Index p = 0; p < padded; p += kLanes) {
      const Packet v = packet_at(V.column(j) + p);
      packet_at(batch.means.data() + p) += z_[j] * v;
      packet_at(batch.variances.data() + p) -= v * v;
    }
  }
  batch.variances = batch.variances.cwiseMax(kMinimumVariance);
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

Vector Posterior::fitted_means() const {
  return y_.head(observations_) - (noise_variance_ + jitter_) * alpha_.head(observations_);
}

double Posterior::information_gain() const {
  return -cholesky_.inverse_diagonal().head(observations_).array().log().sum() -
         0.5 * static_cast<double>(observations_) * std::log(noise_variance_);
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
  kernel_->matrix(candidates, theta_, covariance);
  for (Index q = 0; q < count; ++q) {
    for (Index j = 0; j < n_; ++j) {
      for (Index p = round_down_to_lanes(q); p < V.padded_rows(); p += kLanes) {
        packet_at(covariance.column(q) + p) -= packet_at(V.column(j) + p) * V(q, j);
      }
    }
  }
}

}  // namespace oscbo::gp
