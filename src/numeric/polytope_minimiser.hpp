// Minimisation of a smooth function on a polytope, for few variables and evaluations that cost more
// than a small quadratic program: sequential quadratic programming with a dense Hessian, learned by
// damped BFGS updates.
//
// The step from x is the minimum of the quadratic model over all of the polytope, so a search
// follows faces and leaves them without rules of its own, and every point on the way to it is
// inside. A search cannot fail: whatever the function returns, the best point seen is the result.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Dense>

#include "numeric/padded_matrix.hpp"
#include "numeric/polytope.hpp"

namespace oscbo::numeric {

struct PolytopeMinimiserSettings {
  int max_iterations = 50;
  double step_tolerance = 1e-8;   // smallest change of a variable that is worth a step
  double value_tolerance = 1e-9;  // smallest decrease of the value that a step must bring
  double largest_step = 1.0;      // of a variable in one step
};

/// One search. The caller evaluates the function, so that several searches can be evaluated
/// together:
///
///   while (!search.is_over()) search.observe(function(search.next(), gradient), gradient);
///
/// Every point at which the function is wanted is in the polytope, with the guarantee of
/// Polytope::project.
class PolytopeSearch {
 public:
  explicit PolytopeSearch(const PolytopeMinimiserSettings& settings) : settings_(settings) {}

  /// begin starts at the point of the polytope that is nearest to x. Requires a polytope that is
  /// not empty and that outlives the search.
  void begin(const Polytope& polytope, const Vector& x) {
    polytope_ = &polytope;
    next_ = polytope.project(x).value_or(x);
    has_value_ = false;
    is_over_ = false;
    iterations_ = 0;
    forget_curvature();
  }

  [[nodiscard]] bool is_over() const { return is_over_; }

  /// next returns the point at which the function is wanted.
  [[nodiscard]] const Vector& next() const { return next_; }

  /// observe takes its value and gradient there. What is not finite is taken to be too large.
  void observe(double value, const Vector& gradient) {
    if (!has_value_) {
      has_value_ = true;
      accept(value, gradient);
      return begin_step();
    }
    const Vector step = next_ - x_;
    const bool accepted =
        std::isfinite(value) && gradient.allFinite() &&
        value <= value_ + kSufficientDecrease * std::min(0.0, gradient_.dot(step));
    if (!accepted) return shorten_step();
    const double decrease = value_ - value;
    learn_curvature(step, gradient - gradient_);
    accept(value, gradient);
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
  static constexpr double kDamping = 0.2;
  static constexpr int kTrials = 12;

  void accept(double value, const Vector& gradient) {
    x_ = next_;
    value_ = value;
    gradient_ = gradient;
  }

  /// Chooses direction and length of the next step, unless the search is at its end.
  void begin_step() {
    is_over_ = iterations_++ >= settings_.max_iterations || !choose_direction();
    if (is_over_) return;
    length_ = std::min(1.0, settings_.largest_step / direction_.cwiseAbs().maxCoeff());
    trials_ = 0;
    try_step();
  }

  /// The minimum of the model in the polytope. Returns false if it promises too little.
  bool choose_direction() {
    if (!knows_curvature_) guess_curvature();
    std::optional<Vector> step = polytope_->best_step(hessian_, gradient_, x_);
    if (!step && knows_curvature_) {
      forget_curvature();
      return choose_direction();
    }
    if (!step) return false;
    direction_ = *std::move(step);
    const double promised = -gradient_.dot(direction_);
    return promised > 0.0 && promised >= settings_.value_tolerance &&
           direction_.cwiseAbs().maxCoeff() > settings_.step_tolerance;
  }

  void try_step() {
    next_ = x_ + length_ * direction_;
    polytope_->settle(next_);
  }

  /// After many trials the curvature is forgotten; without any there is nothing left to try.
  void shorten_step() {
    length_ *= trials_ < 2 ? 0.4 : 0.15;
    if (++trials_ < kTrials) return try_step();
    is_over_ = !knows_curvature_;
    if (is_over_) return;
    forget_curvature();
    begin_step();
  }

  void forget_curvature() { knows_curvature_ = false; }

  /// Before any curvature is known the first step is to be a tenth of the largest one.
  void guess_curvature() {
    const double slope = gradient_.cwiseAbs().maxCoeff();
    set_curvature(slope > 0.0 ? slope / (0.1 * settings_.largest_step) : 1.0);
  }

  void set_curvature(double curvature) {
    hessian_ = curvature * Eigen::MatrixXd::Identity(x_.size(), x_.size());
  }

  // B += y y^T / s^T y - B s s^T B / s^T B s, for the step s and the change y of the gradient. As
  // the search may be held by constraints where the function is concave, s^T y need not be
  // positive; Powell's damping moves y towards B s until s^T y = kDamping s^T B s.
  // Before it, the first time, B = y^T y / s^T y I.
  void learn_curvature(const Vector& s, Vector y) {
    const double sy = s.dot(y);
    const bool is_convex = sy > 1e-10 * s.norm() * y.norm();
    if (!knows_curvature_ && is_convex) set_curvature(y.squaredNorm() / sy);
    knows_curvature_ = knows_curvature_ || is_convex;
    const Vector image = hessian_ * s;
    const double curvature = s.dot(image);
    if (!(curvature > 0.0)) return;
    if (sy < kDamping * curvature) {
      const double weight = (1.0 - kDamping) * curvature / (curvature - sy);
      y = weight * y + (1.0 - weight) * image;
    }
    hessian_.noalias() += y * (y / s.dot(y)).transpose();
    hessian_.noalias() -= image * (image / curvature).transpose();
  }

  PolytopeMinimiserSettings settings_;
  const Polytope* polytope_ = nullptr;
  Vector x_;
  double value_ = 0.0;
  Vector gradient_;
  bool has_value_ = false;
  bool is_over_ = false;
  int iterations_ = 0;

  Eigen::MatrixXd hessian_;
  bool knows_curvature_ = false;

  // The step under way.
  Vector direction_;
  double length_ = 0.0;
  int trials_ = 0;
  Vector next_;
};

/// A search from beginning to end.
class PolytopeMinimiser {
 public:
  explicit PolytopeMinimiser(const PolytopeMinimiserSettings& settings) : search_(settings) {}

  /// minimise moves x to a local minimum in the polytope and returns the value there.
  /// `function(x, gradient)` returns the value at x and writes its gradient.
  template <class Function>
  double minimise(Function&& function, const Polytope& polytope, Vector& x) {
    gradient_.resize(x.size());
    search_.begin(polytope, x);
    while (!search_.is_over()) {
      const double value = function(search_.next(), gradient_);
      search_.observe(value, gradient_);
    }
    x = search_.x();
    return search_.value();
  }

 private:
  PolytopeSearch search_;
  Vector gradient_;
};

}  // namespace oscbo::numeric
