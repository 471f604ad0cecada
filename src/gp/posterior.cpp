#include "gp/posterior.hpp"

#include <cmath>
#include <numbers>

#include "numeric/triangular_product.hpp"

namespace oscbo::gp {

using numeric::grow_to;

namespace {

std::span<const double> view(const Vector& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

double dot(const double* a, const double* b, Index padded) {
  Packet sum{};
  for (Index i = 0; i < padded; i += kLanes) sum += packet_at(a + i) * packet_at(b + i);
  return numeric::sum_of_lanes(sum);
}

}  // namespace

void MeanFunction::gradient(std::span<const double> x, std::span<double> gradient,
                            Workspace& workspace) const {
  grow_to(workspace.k, encoded_.padded_rows());
  const auto dimension = static_cast<Index>(x.size());
  workspace.slopes.resize(encoded_.rows(), kernel_->slope_columns(dimension));
  workspace.unused.resize(x.size());
  kernel_->covariances(encoded_, x, theta_, workspace.k.data(), &workspace.slopes);
  kernel_->pull_back(encoded_, x, theta_, workspace.slopes,
                     {.first_weights = alpha_.data(),
                      .second_weights = workspace.k.data(),
                      .first = gradient,
                      .second = workspace.unused});
}

void Posterior::reserve(Index n, Index dimension) {
  reserved_ = std::max(reserved_, n);
  dimension_ = dimension;
  cholesky_.reserve(n);
  U_.reserve(n, n);
  encoded_.reserve(n, dimension + 1);
  last_fit_.points.reserve(static_cast<std::size_t>(n * dimension));
  grow_workspace(n);
}

void Posterior::grow_workspace(Index n) {
  solution_.grow(n);
  work_.reserve(n, 1);
}

void Posterior::Solution::grow(Index n) {
  for (Vector* vector : {&z, &y, &alpha}) grow_to(*vector, round_up_to_lanes(n));
}

void Posterior::Workspace::reserve(Index n, Index columns) {
  for (PaddedMatrix* matrix : {&K, &V, &W}) matrix->reserve(n, columns);
}

Index Posterior::Workspace::doubles_held() const {
  Index sum = K.capacity() + V.capacity() + W.capacity();
  for (const PaddedMatrix& matrix : slopes) sum += matrix.capacity();
  return sum;
}

numeric::FactorOutcome Posterior::fit(const Inputs& inputs, const Vector& y, const Vector& theta,
                                      KnownNoise known_noise) {
  n_ = observations_ = inputs.size();
  last_fit_.base = 0;
  theta_ = theta;
  last_fit_.noise_variance = noise_variance_;
  last_fit_.known_noise.assign(known_noise.begin(), known_noise.end());
  reserve(n_, inputs.dimension());
  kernel_->encode(inputs, theta_, encoded_);

  const numeric::FactorOutcome outcome = factorize_with_jitter(cholesky_, n_, [&](PaddedMatrix& A) {
    A.resize(n_ + 1, n_);
    kernel_->matrix(inputs, theta_, A);
    for (Index j = 0; j < n_; ++j) {
      A(j, j) += noise_of(known_noise, j, noise_variance_);
      A(n_, j) = y[j];
    }
  });
  jitter_ = outcome.jitter;
  if (!outcome.ok) return outcome;

  last_fit_.base = n_;
  last_fit_.points.clear();
  last_fit_.add_points(inputs);
  solution_.z.setZero();
  for (Index j = 0; j < n_; ++j) {
    solution_.y[j] = y[j];
    solution_.z[j] = cholesky_.L()(n_, j);
  }
  cholesky_.inverse_transposed(U_);
  upper_times(U_, n_, solution_.z, solution_.alpha);
  return outcome;
}

numeric::FactorOutcome Posterior::fit_grown(const Inputs& inputs, const Vector& y,
                                            const Vector& theta, Index base,
                                            KnownNoise known_noise) {
  if (base >= inputs.size()) return fit(inputs, y, theta, known_noise);
  if (!continues(inputs, theta, base, known_noise)) {
    Inputs first(inputs.dimension(), base);
    for (Index i = 0; i < base; ++i) first.append(inputs.point(i));
    const numeric::FactorOutcome outcome = fit(first, y.head(base), theta, known_noise);
    if (!outcome.ok) return outcome;
  }
  forget_pending();
  for (; observations_ < inputs.size(); ++observations_) {
    const double noise = noise_of(known_noise, observations_, noise_variance_);
    if (append(inputs.point(observations_), noise)) continue;
    const numeric::FactorOutcome outcome = fit(inputs, y, theta, known_noise);
    last_fit_.base = 0;  // the next fit starts with the base again, as if this one had not happened
    return outcome;
  }
  last_fit_.known_noise.assign(known_noise.begin(), known_noise.end());
  last_fit_.add_points(inputs);
  observe(y);
  return {.ok = true, .jitter = jitter_};
}

/// Tells whether the last fit can be extended to these points.
bool Posterior::continues(const Inputs& inputs, const Vector& theta, Index base,
                          KnownNoise known_noise) const {
  return last_fit_.base == base && observations_ <= inputs.size() &&
         theta_.size() == theta.size() && theta_ == theta &&
         last_fit_.noise_variance == noise_variance_ && last_fit_.has_first_points_of(inputs) &&
         last_fit_.has_first_noise_of(known_noise, observations_);
}

void Posterior::LastFit::add_points(const Inputs& inputs) {
  const Index dimension = inputs.dimension();
  for (auto entry = static_cast<Index>(points.size()); entry < inputs.size() * dimension; ++entry) {
    points.push_back(inputs.X()(entry / dimension, entry % dimension));
  }
}

bool Posterior::LastFit::has_first_points_of(const Inputs& inputs) const {
  const Index dimension = inputs.dimension();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto entry = static_cast<Index>(i);
    if (points[i] != inputs.X()(entry / dimension, entry % dimension)) return false;
  }
  return true;
}

bool Posterior::LastFit::has_first_noise_of(KnownNoise noise, Index observations) const {
  for (Index i = 0; i < observations; ++i) {
    if (noise_of(known_noise, i, noise_variance) != noise_of(noise, i, noise_variance)) {
      return false;
    }
  }
  return true;
}

void Posterior::forget_pending() {
  n_ = observations_;
  cholesky_.truncate(n_);
  U_.truncate(n_, n_);
  encoded_.truncate(n_, encoded_.columns());
}

// The new row of the factor is (v^T, pivot) with v = L^{-1} k(x). The new column of U is (-U v, 1)
// / pivot.
bool Posterior::append(std::span<const double> x, double noise_variance) {
  covariance_with(x);
  inverse_times(U_, n_, work_.K, work_.V, work_.W);
  const double diagonal = kernel_->variance(x, theta_) + noise_variance + jitter_;
  if (!cholesky_.append(work_.V.column(0), diagonal)) return false;

  const double inverse_pivot = cholesky_.inverse_diagonal()[n_];
  U_.grow(n_ + 1, n_ + 1);
  for (Index i = 0; i < n_; ++i) U_(i, n_) = -work_.W(i, 0) * inverse_pivot;
  U_(n_, n_) = inverse_pivot;
  kernel_->append_encoded(x, theta_, encoded_);
  ++n_;
  grow_workspace(n_);
  return true;
}

/// Computes z = L^{-1} y = U^T y and alpha = A^{-1} y = U z after points have been added.
void Posterior::observe(const Vector& y) {
  work_.K.resize(n_, 1);
  work_.K.set_zero();
  std::copy_n(y.data(), n_, work_.K.column(0));
  inverse_times(U_, n_, work_.K, work_.V, work_.W);
  std::copy_n(y.data(), n_, solution_.y.data());
  std::copy_n(work_.V.column(0), work_.V.padded_rows(), solution_.z.data());
  std::copy_n(work_.W.column(0), work_.W.padded_rows(), solution_.alpha.data());
}

// The residual of the imaginary observation is zero, so z, alpha and the mean do not change.
void Posterior::condition_on_pending(std::span<const double> x) {
  if (!append(x, noise_variance_)) return;  // the point carries no further information
  solution_.z[n_ - 1] = solution_.alpha[n_ - 1] = 0.0;
}

void Posterior::covariance_with(std::span<const double> x) {
  work_.K.resize(n_, 1);
  kernel_->covariances(encoded_, x, theta_, work_.K.column(0), nullptr);
}

/// Computes the moments from the columns of K and V that belong to x.
Moments Posterior::moments_of(std::span<const double> x, Index column) const {
  const Index padded = encoded_.padded_rows();
  const double* v = work_.V.column(column);
  return {.mean = dot(work_.K.column(column), solution_.alpha.data(), padded),
          .variance = std::max(kernel_->variance(x, theta_) - dot(v, v, padded), kMinimumVariance)};
}

Moments Posterior::at(std::span<const double> x) {
  covariance_with(x);
  work_.V.resize(n_, 1);
  work_.V.set_zero();
  upper_transposed_times(U_, n_, work_.K.column(0), work_.V.column(0));
  return moments_of(x, 0);
}

// dmu = alpha^T dk and dvar = dk(x, x) - 2 (A^{-1} k)^T dk.
void Posterior::predict(std::span<LocalPrediction> points) {
  const auto count = static_cast<Index>(points.size());
  work_.reserve(std::max(n_, reserved_), count);
  work_.K.resize(n_, count);
  if (work_.slopes.size() < points.size()) work_.slopes.resize(points.size());
  for (Index p = 0; p < count; ++p) {
    const auto entry = static_cast<std::size_t>(p);
    PaddedMatrix& slopes = work_.slopes[entry];
    slopes.reserve(std::max(n_, reserved_), kernel_->slope_columns(dimension_));
    slopes.resize(n_, kernel_->slope_columns(dimension_));
    kernel_->covariances(encoded_, view(points[entry].x), theta_, work_.K.column(p), &slopes);
  }
  inverse_times(U_, n_, work_.K, work_.V, work_.W);
  for (Index p = 0; p < count; ++p) {
    LocalPrediction& point = points[static_cast<std::size_t>(p)];
    const std::span<const double> x = view(point.x);
    point.moments = moments_of(x, p);
    kernel_->pull_back(encoded_, x, theta_, work_.slopes[static_cast<std::size_t>(p)],
                       {.first_weights = solution_.alpha.data(),
                        .second_weights = work_.W.column(p),
                        .first = point.mean_gradient,
                        .second = point.variance_gradient});
    const double factor = point.moments.variance <= kMinimumVariance ? 0.0 : -2.0;
    for (double& entry : point.variance_gradient) entry *= factor;
    if (factor != 0.0) kernel_->add_variance_gradient(x, theta_, point.variance_gradient);
  }
}

Index Posterior::doubles_held() const {
  return cholesky_.L().capacity() + U_.capacity() + encoded_.capacity() + solution_.doubles_held() +
         work_.doubles_held() + static_cast<Index>(last_fit_.points.capacity());
}

// The lanes of a packet are points here: row p of the cross-covariance becomes (L^{-1} k_p)^T.
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
      packet_at(batch.means.data() + p) += solution_.z[j] * v;
      packet_at(batch.variances.data() + p) -= v * v;
    }
  }
  batch.variances = batch.variances.cwiseMax(kMinimumVariance);
}

// With [A^{-1}]_ii = sum_k U_ik^2, the variance is 1 / [A^{-1}]_ii and the mean is y_i - alpha_i /
// [A^{-1}]_ii.
std::vector<Moments> Posterior::leave_one_out() const {
  std::vector<Moments> result;
  for (Index i = 0; i < observations_; ++i) {
    double precision = 0.0;
    for (Index k = i; k < observations_; ++k) precision += U_(i, k) * U_(i, k);
    result.push_back(
        {.mean = solution_.y[i] - solution_.alpha[i] / precision, .variance = 1.0 / precision});
  }
  return result;
}

Vector Posterior::fitted_means() const {
  Vector noise = Vector::Constant(observations_, noise_variance_);
  for (Index i = 0; i < observations_; ++i) noise[i] = noise_of(last_fit_.known_noise, i, noise[i]);
  return solution_.y.head(observations_).array() -
         (noise.array() + jitter_) * solution_.alpha.head(observations_).array();
}

double Posterior::information_gain() const {
  const NoiseLogarithms noise(last_fit_.known_noise, observations_);
  return -cholesky_.inverse_diagonal().head(observations_).array().log().sum() -
         0.5 * noise.unknown * std::log(noise_variance_) - 0.5 * noise.known_logarithms;
}

double Posterior::log_marginal_likelihood() const {
  const auto n = static_cast<double>(observations_);
  return cholesky_.inverse_diagonal().head(observations_).array().log().sum() -
         0.5 * solution_.z.head(observations_).squaredNorm() -
         0.5 * n * std::log(2.0 * std::numbers::pi);
}

// The covariance is K_cc - V V^T, where at_batch leaves L^{-1} k_p as row p of V.
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
