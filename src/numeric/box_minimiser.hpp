// Minimisation of a smooth function on a box, for few variables and evaluations that cost more than
// some d^2 operations: BFGS with a dense inverse Hessian, steps projected on the box.
//
// Of L-BFGS-B it has the active set and not the generalised Cauchy point: a variable at its bound
// whose slope points outwards stays there for the step, the others move along the quasi-Newton
// direction and are cut off at their bounds. A search cannot fail: whatever the function returns,
// the best point seen is the result. Beyond kMostDense variables, whose square would not fit into
// memory some day, the inverse Hessian is a multiple of the identity.
#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "numeric/padded_matrix.hpp"

namespace oscbo::numeric {

struct BoxMinimiserSettings {
  int max_iterations = 50;
  double gradient_tolerance = 1e-6;  // largest slope of a variable that may move
  double value_tolerance = 1e-9;     // smallest decrease of the value that a step must bring
  double largest_step = 1.0;         // of a variable in one step
};

/// Reusable: keeps its workspace between calls.
class BoxMinimiser {
 public:
  static constexpr Index kMostDense = 500;

  explicit BoxMinimiser(const BoxMinimiserSettings& settings) : settings_(settings) {}

  /// minimise moves x, a point of the box, to a local minimum and returns the value there.
  /// `function(x, gradient)` returns the value at x and writes its gradient; where the value is not
  /// finite it is taken to be too large.
  template <class Function>
  double minimise(Function&& function, const Vector& lower, const Vector& upper, Vector& x);

 private:
  /// Zeroes the slopes of variables that are held at their bounds; returns the largest other one.
  double release(const Vector& lower, const Vector& upper, const Vector& x) {
    free_gradient_ = gradient_;
    for (Index k = 0; k < x.size(); ++k) {
      const bool held =
          (x[k] <= lower[k] && gradient_[k] > 0.0) || (x[k] >= upper[k] && gradient_[k] < 0.0);
      if (held) free_gradient_[k] = 0.0;
    }
    return free_gradient_.cwiseAbs().maxCoeff();
  }

  void forget_curvature(Index dimension) {
    if (dimension <= kMostDense) inverse_hessian_.setIdentity(dimension, dimension);
    scale_ = 1.0;
    knows_curvature_ = false;
  }

  /// The quasi-Newton direction of the free variables, downhill.
  void choose_direction() {
    if (free_gradient_.size() <= kMostDense) {
      direction_.noalias() = -inverse_hessian_ * free_gradient_;
    } else {
      direction_ = -scale_ * free_gradient_;
    }
    direction_ = (free_gradient_.array() == 0.0).select(0.0, direction_);
    if (direction_.dot(free_gradient_) < 0.0) return;
    forget_curvature(direction_.size());
    direction_ = -free_gradient_;
  }

  /// The first length to try: the whole step, or a tenth of the largest one before any curvature is
  /// known.
  [[nodiscard]] double first_length() const {
    const double largest = direction_.cwiseAbs().maxCoeff();
    const double wanted = knows_curvature_ ? 1.0 : 0.1 * settings_.largest_step / largest;
    return std::min(wanted, settings_.largest_step / largest);
  }

  // H += ((s^T y + y^T H y) / (s^T y)^2) s s^T - (H y s^T + s y^T H) / s^T y, for the step s and
  // the change y of the gradient; before it, the first time, H = s^T y / y^T y I, which
  // is all that is learned of very many variables, each time.
  void learn_curvature() {
    const double sy = step_.dot(change_);
    if (!(sy > 1e-10 * step_.norm() * change_.norm())) return;
    scale_ = sy / change_.squaredNorm();
    const bool first = !knows_curvature_;
    knows_curvature_ = true;
    if (change_.size() > kMostDense) return;
    if (first) inverse_hessian_ *= scale_;
    image_.noalias() = inverse_hessian_ * change_;
    const double factor = (sy + change_.dot(image_)) / (sy * sy);
    inverse_hessian_.noalias() += factor * step_ * step_.transpose();
    inverse_hessian_.noalias() -= image_ * (step_ / sy).transpose();
    inverse_hessian_.noalias() -= (step_ / sy) * image_.transpose();
  }

  BoxMinimiserSettings settings_;
  Eigen::MatrixXd inverse_hessian_;
  double scale_ = 1.0;  // of the identity in its place
  bool knows_curvature_ = false;
  Vector gradient_;
  Vector free_gradient_;
  Vector direction_;
  Vector next_x_;
  Vector next_gradient_;
  Vector step_;
  Vector change_;
  Vector image_;
};

template <class Function>
double BoxMinimiser::minimise(Function&& function, const Vector& lower, const Vector& upper,
                              Vector& x) {
  constexpr double kSufficientDecrease = 1e-4;
  constexpr int kTrials = 12;
  gradient_.resize(x.size());
  next_gradient_.resize(x.size());
  forget_curvature(x.size());
  double value = function(x, gradient_);
  for (int iteration = 0; iteration < settings_.max_iterations; ++iteration) {
    if (!(release(lower, upper, x) > settings_.gradient_tolerance)) break;
    choose_direction();

    double length = first_length();
    double next_value = value;
    bool accepted = false;
    for (int trial = 0; trial < kTrials && !accepted; ++trial) {
      next_x_ = (x + length * direction_).cwiseMax(lower).cwiseMin(upper);
      step_ = next_x_ - x;
      next_value = function(next_x_, next_gradient_);
      accepted = std::isfinite(next_value) &&
                 next_value <= value + kSufficientDecrease * std::min(0.0, gradient_.dot(step_));
      length *= trial < 2 ? 0.4 : 0.15;
    }
    if (!accepted && !knows_curvature_) break;
    if (!accepted) {
      forget_curvature(x.size());
      continue;
    }
    change_ = next_gradient_ - gradient_;
    const double decrease = value - next_value;
    x = next_x_;
    value = next_value;
    gradient_.swap(next_gradient_);
    learn_curvature();
    if (decrease < settings_.value_tolerance) break;
  }
  return value;
}

}  // namespace oscbo::numeric
