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

/// One search. The caller evaluates the function, so that several searches can be evaluated
/// together:
///
///   while (!search.is_over()) search.observe(function(search.next(), gradient), gradient);
///
/// Reusable: `begin` keeps the workspace of the search before.
class BoxSearch {
 public:
  static constexpr Index kMostDense = 500;

  explicit BoxSearch(const BoxMinimiserSettings& settings) : settings_(settings) {}

  /// begin starts at x, a point of the box.
  void begin(const Vector& lower, const Vector& upper, const Vector& x) {
    lower_ = lower;
    upper_ = upper;
    next_ = x;
    has_value_ = false;
    is_over_ = false;
    iterations_ = 0;
    forget_curvature(x.size());
  }

  [[nodiscard]] bool is_over() const { return is_over_; }

  /// next returns the point at which the function is wanted.
  [[nodiscard]] const Vector& next() const { return next_; }

  /// observe takes its value and gradient there. A value that is not finite is taken to be too
  /// large.
  void observe(double value, const Vector& gradient) {
    if (!has_value_) {
      has_value_ = true;
      accept(value, gradient);
      return begin_step();
    }
    const bool accepted =
        std::isfinite(value) &&
        value <= value_ + kSufficientDecrease * std::min(0.0, gradient_.dot(step_));
    if (!accepted) return shorten_step();
    change_ = gradient - gradient_;
    const double decrease = value_ - value;
    accept(value, gradient);
    learn_curvature();
    if (decrease < settings_.value_tolerance) {
      is_over_ = true;
    } else {
      begin_step();
    }
  }

  /// Where the search stands, and the value there.
  [[nodiscard]] const Vector& x() const { return x_; }
  [[nodiscard]] double value() const { return value_; }

 private:
  static constexpr double kSufficientDecrease = 1e-4;
  static constexpr int kTrials = 12;

  void accept(double value, const Vector& gradient) {
    x_ = next_;
    value_ = value;
    gradient_ = gradient;
  }

  /// Chooses direction and length of the next step, unless the search is at its end.
  void begin_step() {
    is_over_ =
        iterations_++ >= settings_.max_iterations || !(release() > settings_.gradient_tolerance);
    if (is_over_) return;
    choose_direction();
    length_ = first_length();
    trials_ = 0;
    try_step();
  }

  void try_step() {
    next_ = (x_ + length_ * direction_).cwiseMax(lower_).cwiseMin(upper_);
    step_ = next_ - x_;
  }

  /// After many trials the curvature is forgotten; without any there is nothing left to try.
  void shorten_step() {
    length_ *= trials_ < 2 ? 0.4 : 0.15;
    if (++trials_ < kTrials) return try_step();
    if (!knows_curvature_) {
      is_over_ = true;
      return;
    }
    forget_curvature(x_.size());
    begin_step();
  }

  /// Zeroes the slopes of variables that are held at their bounds; returns the largest other one.
  double release() {
    free_gradient_ = gradient_;
    for (Index k = 0; k < x_.size(); ++k) {
      const bool held =
          (x_[k] <= lower_[k] && gradient_[k] > 0.0) || (x_[k] >= upper_[k] && gradient_[k] < 0.0);
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
  Vector lower_;
  Vector upper_;
  Vector x_;
  double value_ = 0.0;
  Vector gradient_;
  bool has_value_ = false;
  bool is_over_ = false;
  int iterations_ = 0;

  Eigen::MatrixXd inverse_hessian_;
  double scale_ = 1.0;  // of the identity in its place
  bool knows_curvature_ = false;

  // The step under way.
  Vector free_gradient_;
  Vector direction_;
  double length_ = 0.0;
  int trials_ = 0;
  Vector next_;
  Vector step_;
  Vector change_;  // of the gradient
  Vector image_;
};

/// A search from beginning to end. Reusable: keeps its workspace between calls.
class BoxMinimiser {
 public:
  explicit BoxMinimiser(const BoxMinimiserSettings& settings) : search_(settings) {}

  /// minimise moves x, a point of the box, to a local minimum and returns the value there.
  /// `function(x, gradient)` returns the value at x and writes its gradient.
  template <class Function>
  double minimise(Function&& function, const Vector& lower, const Vector& upper, Vector& x) {
    gradient_.resize(x.size());
    search_.begin(lower, upper, x);
    while (!search_.is_over()) {
      const double value = function(search_.next(), gradient_);
      search_.observe(value, gradient_);
    }
    x = search_.x();
    return search_.value();
  }

 private:
  BoxSearch search_;
  Vector gradient_;
};

}  // namespace oscbo::numeric
