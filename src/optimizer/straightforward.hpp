// The baseline of the benchmarks: one OSCBO run as a first version with Eigen would do it, formula
// by formula, without regard to speed. Only the benchmarks use it.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <Eigen/Dense>
#include <LBFGSB.h>

#include "acquisition/maximiser.hpp"
#include "numeric/random_stream.hpp"
#include "numeric/sobol.hpp"
#include "oscbo/problem.hpp"

namespace oscbo::straightforward {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kNoise = 0.01;
constexpr double kBeta = 2.0;

inline double matern52(double r, double theta) {
  const double s = std::sqrt(5.0) * r / theta;
  return (1.0 + s + s * s / 3.0) * std::exp(-s);
}

/// gram computes A = K + noise I, and dA = dK/dtheta.
inline void gram(const Matrix& X, double theta, Matrix& A, Matrix& dA) {
  const Eigen::Index n = X.rows();
  const Matrix points = X.transpose();  // one point per column, as Eigen stores matrices
  A.resize(n, n);
  dA.resize(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = j; i < n; ++i) {
      const double s = std::sqrt(5.0) * (points.col(i) - points.col(j)).norm() / theta;
      const double e = std::exp(-s);
      A(i, j) = A(j, i) = (1.0 + s + s * s / 3.0) * e + (i == j ? kNoise : 0.0);
      dA(i, j) = dA(j, i) = s * s / (3.0 * theta) * (1.0 + s) * e;
    }
  }
}

/// ftpl_objective returns the function that OSCBO with p = 2 minimises over theta ("follow the
/// perturbed leader") and its derivative. With A = L L^T, z = L^{-1} y and S = L^{-1} dA L^{-T},
/// the parts of the derivative are d log|A| = tr S and dz = -phi z, where phi is the strictly lower
/// triangle of S plus half of its diagonal. weights[j] multiplies the calibration loss of
/// observation j, and -eta theta is the perturbation.
inline double ftpl_objective(const Matrix& X, const Vector& y, const Vector& weights, double eta,
                             double theta, double& gradient) {
  Matrix A;
  Matrix dA;
  gram(X, theta, A, dA);
  const Eigen::LLT<Matrix> llt(A);
  const auto L = llt.matrixL();
  const Vector z = L.solve(y);
  const double c = std::log1p(1.0 / kNoise);
  const auto n = static_cast<double>(y.size());

  const Matrix inverse = L.solve(Matrix::Identity(y.size(), y.size()));
  const Matrix S = inverse * dA * inverse.transpose();
  Matrix phi = S.triangularView<Eigen::StrictlyLower>();
  phi.diagonal() = 0.5 * S.diagonal();
  const Vector dz = -phi * z;
  gradient = S.trace() / c + (weights.array() * 2.0 / kBeta * z.array() * dz.array()).sum() - eta;

  const Matrix factor = llt.matrixL();
  const double log_determinant = 2.0 * factor.diagonal().array().log().sum();
  return (log_determinant - n * std::log(kNoise)) / c +
         (weights.array() * z.array().square() / kBeta).sum() - weights.sum() - eta * theta;
}

/// adam takes 50 Adam steps in softplus coordinates from `theta`.
inline double adam(const Matrix& X, const Vector& y, const Vector& weights, double eta,
                   double theta) {
  double raw = std::log(std::expm1(theta));
  double m = 0.0;
  double v = 0.0;
  for (int step = 1; step <= 50; ++step) {
    double gradient = 0.0;
    ftpl_objective(X, y, weights, eta, theta, gradient);
    gradient /= 1.0 + std::exp(-raw);
    m = 0.9 * m + 0.1 * gradient;
    v = 0.999 * v + 0.001 * gradient * gradient;
    raw -= 0.01 * (m / (1.0 - std::pow(0.9, step))) /
           (std::sqrt(v / (1.0 - std::pow(0.999, step))) + 1e-8);
    theta = std::clamp(std::log1p(std::exp(raw)), 1e-2, 1e1);
  }
  return theta;
}

/// The negated UCB with its gradient, in the form that L-BFGS-B needs.
struct NegatedUcb {
  const Matrix& X;
  const Eigen::LLT<Matrix>& llt;
  const Vector& alpha;
  double theta;

  double operator()(const Vector& x, Vector& gradient) const {
    const Eigen::Index n = X.rows();
    Vector k(n);
    Matrix dk(n, x.size());
    for (Eigen::Index i = 0; i < n; ++i) {
      const Vector difference = x - X.row(i).transpose();
      const double s = std::sqrt(5.0) * difference.norm() / theta;
      k[i] = matern52(difference.norm(), theta);
      dk.row(i) = -5.0 / 3.0 / (theta * theta) * (1.0 + s) * std::exp(-s) * difference.transpose();
    }
    const Vector v = llt.matrixL().solve(k);
    const Vector w = llt.matrixU().solve(v);
    const double sd = std::sqrt(std::max(1.0 - v.squaredNorm(), 1e-12));
    gradient = -(dk.transpose() * alpha - std::sqrt(kBeta) / sd * (dk.transpose() * w));
    return -(k.dot(alpha) + std::sqrt(kBeta) * sd);
  }
};

inline Vector maximise_ucb(const NegatedUcb& ucb, Eigen::Index d, std::uint64_t seed,
                           std::uint64_t step) {
  numeric::ScrambledSobol sobol(static_cast<std::size_t>(d),
                                numeric::RandomStream(seed, numeric::Purpose::raw_samples, step));
  Matrix raw(20, d);
  Vector values(20);
  Vector gradient(d);
  std::vector<double> u(static_cast<std::size_t>(d));
  for (Eigen::Index i = 0; i < 20; ++i) {
    sobol.next(u);
    for (Eigen::Index k = 0; k < d; ++k) raw(i, k) = u[static_cast<std::size_t>(k)];
    values[i] = -ucb(raw.row(i), gradient);
  }
  LBFGSpp::LBFGSBParam<double> parameters;
  parameters.m = 10;
  parameters.epsilon = 1e-5;
  parameters.epsilon_rel = 0.0;
  parameters.past = 1;
  parameters.delta = 2.2e-9;
  parameters.max_iterations = 2000;
  LBFGSpp::LBFGSBSolver<double> solver(parameters);
  Vector best;
  double best_value = std::numeric_limits<double>::infinity();
  for (const auto start : acquisition::choose_starts(
           values, 5, numeric::RandomStream(seed, numeric::Purpose::start_choice, step))) {
    Vector x = raw.row(start);
    double value = std::numeric_limits<double>::infinity();
    try {
      solver.minimize(ucb, x, value, Vector::Zero(d), Vector::Ones(d));
    } catch (const std::exception&) {
      value = ucb(x, gradient);
    }
    if (value < best_value) {
      best_value = value;
      best = x;
    }
  }
  return best;
}

/// value_at returns the problem's value at a point of the unit cube.
inline double value_at(const Problem& problem, const Vector& unit) {
  const std::vector<Bounds> bounds = problem.space.bounds();
  std::vector<double> x(bounds.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Bounds& side = bounds[k];
    x[k] = side.lower + (side.upper - side.lower) * unit[static_cast<Eigen::Index>(k)];
  }
  return problem.value(x);
}

/// run does `rounds` rounds of OSCBO with p = 2 and returns the best y.
inline double run(const Problem& problem, int rounds, std::uint64_t seed) {
  constexpr Eigen::Index kInitial = 10;
  const auto d = static_cast<Eigen::Index>(problem.space.dimension());
  const double lambda0 = kBeta / std::log1p(1.0 / kNoise);
  numeric::ScrambledSobol sobol(static_cast<std::size_t>(d),
                                numeric::RandomStream(seed, numeric::Purpose::initial_design));
  Matrix X(kInitial, d);
  Vector y(kInitial);
  std::vector<double> u(static_cast<std::size_t>(d));
  for (Eigen::Index i = 0; i < kInitial; ++i) {
    sobol.next(u);
    X.row(i) = Eigen::Map<const Vector>(u.data(), d).transpose();
    y[i] = value_at(problem, X.row(i));
  }
  Vector weights = Vector::Constant(kInitial, lambda0);
  double theta = std::numbers::ln2;
  double lambda = lambda0;

  for (int t = 1; t <= rounds; ++t) {
    const auto step = static_cast<std::uint64_t>(t);
    const double mean = y.mean();
    const double sd =
        std::sqrt((y.array() - mean).square().sum() / static_cast<double>(y.size() - 1));
    const Vector standardised = (y.array() - mean) / sd;
    const double eta =
        0.1 * numeric::RandomStream(seed, numeric::Purpose::perturbation, step).normal();
    theta = adam(X, standardised, weights, eta, theta);

    Matrix A;
    Matrix dA;
    gram(X, theta, A, dA);
    const Eigen::LLT<Matrix> llt(A);
    const Vector alpha = llt.solve(standardised);
    const NegatedUcb ucb{.X = X, .llt = llt, .alpha = alpha, .theta = theta};
    const Vector x = maximise_ucb(ucb, d, seed, step);

    Vector k(X.rows());
    for (Eigen::Index i = 0; i < X.rows(); ++i) {
      k[i] = matern52((x - X.row(i).transpose()).norm(), theta);
    }
    const Vector v = llt.matrixL().solve(k);
    const double value = value_at(problem, x);
    const double residual = (value - mean) / sd - k.dot(alpha);
    const double calibration_loss =
        residual * residual / (kBeta * (1.0 - v.squaredNorm() + kNoise)) - 1.0;

    X.conservativeResize(X.rows() + 1, Eigen::NoChange);
    X.row(X.rows() - 1) = x.transpose();
    y.conservativeResize(y.size() + 1);
    y[y.size() - 1] = value;
    weights.conservativeResize(weights.size() + 1);
    weights[weights.size() - 1] = lambda;
    lambda = std::min(lambda * std::exp(0.001 * calibration_loss), std::pow(150.0, 0.25));
  }
  return y.maxCoeff();
}

}  // namespace oscbo::straightforward
