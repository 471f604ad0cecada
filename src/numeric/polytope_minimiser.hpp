// Minimisation of a smooth function on a polytope: sequential quadratic programming with a dense
// Hessian, learned by damped BFGS updates. It suits few variables and evaluations that cost more
// than a small quadratic program.
//
// The step from x leads to the minimum of the quadratic model over the whole polytope. So the
// search follows and leaves faces without special rules, and every point along the step is inside.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include <Eigen/Dense>

#include "numeric/descent_search.hpp"
#include "numeric/polytope.hpp"

namespace oscbo::numeric {

struct PolytopeMinimiserSettings {
  int max_iterations = 50;
  double step_tolerance = 1e-8;   // stop if no variable would change by more
  double value_tolerance = 1e-9;  // stop after a step that decreases the value by less
  double largest_step = 1.0;      // largest change of a variable in one step
};

/// Every point that the search evaluates is in the polytope, up to the tolerances of
/// Polytope::project.
class PolytopeSearch : public DescentSearch<PolytopeSearch> {
 public:
  explicit PolytopeSearch(const PolytopeMinimiserSettings& settings)
      : DescentSearch(settings.max_iterations, settings.value_tolerance), settings_(settings) {}

  /// begin starts the search at the point of the polytope nearest to x. Requires a polytope that is
  /// not empty and outlives the search.
  void begin(const Polytope& polytope, const Vector& x) {
    polytope_ = &polytope;
    start_at(polytope.project(x).value_or(x));
  }

 private:
  friend class DescentSearch<PolytopeSearch>;

  static constexpr double kDamping = 0.2;

  [[nodiscard]] bool choose_step() {
    if (!choose_direction()) return false;
    step_.length = std::min(1.0, settings_.largest_step / step_.direction.cwiseAbs().maxCoeff());
    return true;
  }

  /// Chooses the step to the minimum of the quadratic model over the polytope. Returns false if the
  /// step promises too small a decrease or is too short.
  bool choose_direction() {
    if (!knows_curvature_) guess_curvature();
    std::optional<Vector> step = polytope_->best_step(hessian_, gradient_, x_);
    if (!step && knows_curvature_) {
      forget_curvature();
      return choose_direction();
    }
    if (!step) return false;
    step_.direction = *std::move(step);
    const double promised = -gradient_.dot(step_.direction);
    return promised > 0.0 && promised >= settings_.value_tolerance &&
           step_.direction.cwiseAbs().maxCoeff() > settings_.step_tolerance;
  }

  void try_step() {
    step_.end = x_ + step_.length * step_.direction;
    polytope_->settle(step_.end);
  }

  void forget_curvature() { knows_curvature_ = false; }

  /// Guesses a curvature that makes the first step a tenth of the largest allowed step.
  void guess_curvature() {
    const double slope = gradient_.cwiseAbs().maxCoeff();
    set_curvature(slope > 0.0 ? slope / (0.1 * settings_.largest_step) : 1.0);
  }

  void set_curvature(double curvature) {
    hessian_ = curvature * Eigen::MatrixXd::Identity(x_.size(), x_.size());
  }

  // The BFGS update for the step s and the change y of the gradient:
  //
  //   B += y y^T / s^T y - B s s^T B / s^T B s
  //
  // Constraints may hold the search where the function is concave, so s^T y need not be positive.
  // Powell's damping moves y towards B s until s^T y = kDamping s^T B s. The first update starts
  // from B = (y^T y / s^T y) I.
  void learn_curvature() {
    const Vector& s = step_.moved;
    Vector y = step_.gradient_change;
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
  Eigen::MatrixXd hessian_;
};

/// PolytopeMinimiser runs a whole search.
class PolytopeMinimiser {
 public:
  explicit PolytopeMinimiser(const PolytopeMinimiserSettings& settings) : search_(settings) {}

  /// minimise moves x to a local minimum in the polytope and returns the value there.
  /// `function(x, gradient)` returns the value at x and writes its gradient.
  template <class Function>
  double minimise(Function&& function, const Polytope& polytope, Vector& x) {
    search_.begin(polytope, x);
    return search_.finish(std::forward<Function>(function), x);
  }

 private:
  PolytopeSearch search_;
};

}  // namespace oscbo::numeric
