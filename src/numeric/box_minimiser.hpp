// Minimisation of a smooth function on a box: BFGS with a dense inverse Hessian and steps projected
// on the box. It suits functions of few variables whose evaluation costs more than about d^2
// operations, where d is the number of variables.
//
// Like L-BFGS-B, it holds variables at their bounds (the active set), but it computes no
// generalised Cauchy point. A variable stays at its bound for a step if the downhill direction
// points outside. The other variables move along the quasi-Newton direction and stop at their
// bounds. Beyond kMostDense variables a dense matrix would need too much memory, so the inverse
// Hessian is a multiple of the identity.
#pragma once

#include <algorithm>
#include <utility>

#include <Eigen/Dense>

#include "numeric/descent_search.hpp"

namespace oscbo::numeric {

struct BoxMinimiserSettings {
  int max_iterations = 50;
  double gradient_tolerance = 1e-6;  // stop if no free variable has a larger slope
  double value_tolerance = 1e-9;     // stop after a step that decreases the value by less
  double largest_step = 1.0;         // largest change of a variable in one step
};

/// Reusable: `begin` keeps the workspace of the previous search.
class BoxSearch : public DescentSearch<BoxSearch> {
 public:
  static constexpr Index kMostDense = 500;

  explicit BoxSearch(const BoxMinimiserSettings& settings)
      : DescentSearch(settings.max_iterations, settings.value_tolerance), settings_(settings) {}

  /// begin starts the search at x. Requires x inside the box.
  void begin(const Vector& lower, const Vector& upper, const Vector& x) {
    lower_ = lower;
    upper_ = upper;
    dimension_ = x.size();
    start_at(x);
  }

 private:
  friend class DescentSearch<BoxSearch>;

  [[nodiscard]] bool choose_step() {
    if (!(release() > settings_.gradient_tolerance)) return false;
    choose_direction();
    step_.length = first_length();
    return true;
  }

  void try_step() {
    step_.end = (x_ + step_.length * step_.direction).cwiseMax(lower_).cwiseMin(upper_);
  }

  /// Sets the slopes of variables held at their bounds to zero. Returns the largest remaining
  /// |slope|.
  double release() {
    free_gradient_ = gradient_;
    for (Index k = 0; k < x_.size(); ++k) {
      const bool held =
          (x_[k] <= lower_[k] && gradient_[k] > 0.0) || (x_[k] >= upper_[k] && gradient_[k] < 0.0);
      if (held) free_gradient_[k] = 0.0;
    }
    return free_gradient_.cwiseAbs().maxCoeff();
  }

  void forget_curvature() {
    if (dimension_ <= kMostDense) inverse_hessian_.setIdentity(dimension_, dimension_);
    scale_ = 1.0;
    knows_curvature_ = false;
  }

  /// Chooses the quasi-Newton direction of the free variables, or steepest descent if that
  /// direction is not downhill.
  void choose_direction() {
    if (free_gradient_.size() <= kMostDense) {
      step_.direction.noalias() = -inverse_hessian_ * free_gradient_;
    } else {
      step_.direction = -scale_ * free_gradient_;
    }
    step_.direction = (free_gradient_.array() == 0.0).select(0.0, step_.direction);
    if (step_.direction.dot(free_gradient_) < 0.0) return;
    forget_curvature();
    step_.direction = -free_gradient_;
  }

  /// The first length to try: the full step, or a tenth of the largest step while the curvature is
  /// unknown.
  [[nodiscard]] double first_length() const {
    const double largest = step_.direction.cwiseAbs().maxCoeff();
    const double wanted = knows_curvature_ ? 1.0 : 0.1 * settings_.largest_step / largest;
    return std::min(wanted, settings_.largest_step / largest);
  }

  // The BFGS update for the step s and the change y of the gradient:
  //
  //   H += ((s^T y + y^T H y) / (s^T y)^2) s s^T - (H y s^T + s y^T H) / s^T y
  //
  // The first update starts from H = (s^T y / y^T y) I. Beyond kMostDense variables H is this
  // multiple of the identity after every step.
  void learn_curvature() {
    const Vector& s = step_.moved;
    const Vector& y = step_.gradient_change;
    const double sy = s.dot(y);
    if (!(sy > 1e-10 * s.norm() * y.norm())) return;
    scale_ = sy / y.squaredNorm();
    const bool first = !knows_curvature_;
    knows_curvature_ = true;
    if (y.size() > kMostDense) return;
    if (first) inverse_hessian_ *= scale_;
    image_.noalias() = inverse_hessian_ * y;
    const double factor = (sy + y.dot(image_)) / (sy * sy);
    inverse_hessian_.noalias() += factor * s * s.transpose();
    inverse_hessian_.noalias() -= image_ * (s / sy).transpose();
    inverse_hessian_.noalias() -= (s / sy) * image_.transpose();
  }

  BoxMinimiserSettings settings_;
  Vector lower_;
  Vector upper_;
  Index dimension_ = 0;

  Eigen::MatrixXd inverse_hessian_;
  double scale_ = 1.0;  // beyond kMostDense variables, the inverse Hessian is scale_ I

  Vector free_gradient_;  // of the current step
  Vector image_;
};

/// BoxMinimiser runs a whole search. Reusable: it keeps its workspace between calls.
class BoxMinimiser {
 public:
  explicit BoxMinimiser(const BoxMinimiserSettings& settings) : search_(settings) {}

  /// minimise moves x to a local minimum and returns the value there. Requires x inside the box.
  /// `function(x, gradient)` returns the value at x and writes its gradient.
  template <class Function>
  double minimise(Function&& function, const Vector& lower, const Vector& upper, Vector& x) {
    search_.begin(lower, upper, x);
    return search_.finish(std::forward<Function>(function), x);
  }

 private:
  BoxSearch search_;
};

}  // namespace oscbo::numeric
