// The descent loop shared by the minimisers on a box and on a polytope. An iteration chooses a
// direction and a step length, shortens the step until the value decreases enough, and continues
// from the new point.
//
// A search cannot fail: whatever the function returns, the result is the best point seen.
#pragma once

#include <algorithm>
#include <cmath>

#include "numeric/padded_matrix.hpp"

namespace oscbo::numeric {

/// The step that a search is trying.
struct DescentStep {
  Vector direction;
  double length = 0.0;     // in units of the direction
  int shortened = 0;       // how often the length was reduced
  Vector end;              // the point to evaluate
  Vector moved;            // from the current point to the end
  Vector gradient_change;  // from the current point to the end
};

/// One search. The caller evaluates the function, so that several searches can be evaluated
/// together:
///
///   while (!search.is_over()) search.observe(function(search.next(), gradient), gradient);
///
/// The derived class `Search` defines
///
///   bool choose_step()       sets the direction and first length of step_; false if no step is
///                            worth trying
///   void try_step()          step_.end = x_ + length * direction, or a feasible point close to it
///   void learn_curvature()   learns from step_.moved and step_.gradient_change
///   void forget_curvature()
///
/// and calls start_at to begin.
template <class Search>
class DescentSearch {
 public:
  [[nodiscard]] bool is_over() const { return is_over_; }

  /// next returns the point to evaluate next.
  [[nodiscard]] const Vector& next() const { return step_.end; }

  /// observe takes the value and gradient at the point that `next` returned. A value or gradient
  /// that is not finite counts as too large, and the step is shortened.
  void observe(double value, const Vector& gradient) {
    if (!has_value_) {
      has_value_ = true;
      accept(value, gradient);
      return begin_step();
    }
    step_.moved = step_.end - x_;
    const bool accepted =
        std::isfinite(value) && gradient.allFinite() &&
        value <= value_ + kSufficientDecrease * std::min(0.0, gradient_.dot(step_.moved));
    if (!accepted) return shorten_step();
    step_.gradient_change = gradient - gradient_;
    const double decrease = value_ - value;
    accept(value, gradient);
    self().learn_curvature();
    if (decrease < value_tolerance_) {
      is_over_ = true;
    } else {
      begin_step();
    }
  }

  /// x returns the current point, and value the function value there.
  [[nodiscard]] const Vector& x() const { return x_; }
  [[nodiscard]] double value() const { return value_; }

  /// finish runs the rest of the search, writes the final point to x and returns its value.
  /// `function(x, gradient)` returns the value at x and writes its gradient.
  template <class Function>
  double finish(Function&& function, Vector& x) {
    gradient_at_next_.resize(step_.end.size());
    while (!is_over_) {
      const double value = function(step_.end, gradient_at_next_);
      observe(value, gradient_at_next_);
    }
    x = x_;
    return value_;
  }

 protected:
  /// The search ends after `max_iterations`, or after a step that decreases the value by less than
  /// `value_tolerance`.
  DescentSearch(int max_iterations, double value_tolerance)
      : max_iterations_(max_iterations), value_tolerance_(value_tolerance) {}

  void start_at(const Vector& x) {
    step_.end = x;
    has_value_ = false;
    is_over_ = false;
    iterations_ = 0;
    self().forget_curvature();
  }

  Vector x_;
  Vector gradient_;
  bool knows_curvature_ = false;
  DescentStep step_;

 private:
  static constexpr double kSufficientDecrease = 1e-4;
  static constexpr int kTrials = 12;

  [[nodiscard]] Search& self() { return static_cast<Search&>(*this); }

  void accept(double value, const Vector& gradient) {
    x_ = step_.end;
    value_ = value;
    gradient_ = gradient;
  }

  /// Chooses direction and length of the next step, or ends the search.
  void begin_step() {
    is_over_ = iterations_++ >= max_iterations_ || !self().choose_step();
    if (is_over_) return;
    step_.shortened = 0;
    self().try_step();
  }

  /// Shortens the step. After kTrials failures the search forgets the curvature and starts a new
  /// step. It ends if there is no curvature to forget.
  void shorten_step() {
    step_.length *= step_.shortened < 2 ? 0.4 : 0.15;
    if (++step_.shortened < kTrials) return self().try_step();
    is_over_ = !knows_curvature_;
    if (is_over_) return;
    self().forget_curvature();
    begin_step();
  }

  int max_iterations_;
  double value_tolerance_;
  double value_ = 0.0;  // at x_
  bool has_value_ = false;
  bool is_over_ = false;
  int iterations_ = 0;
  Vector gradient_at_next_;  // workspace for finish
};

}  // namespace oscbo::numeric
