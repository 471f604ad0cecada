// What the searches for a minimum on a box and on a polytope have in common: from where they stand,
// a direction and a length, shortened until the value decreases enough; then on from there.
//
// A search cannot fail: whatever the function returns, the best point seen is the result.
#pragma once

#include <algorithm>
#include <cmath>

#include "numeric/padded_matrix.hpp"

namespace oscbo::numeric {

/// One search. The caller evaluates the function, so that several searches can be evaluated
/// together:
///
///   while (!search.is_over()) search.observe(function(search.next(), gradient), gradient);
///
/// `Search`, the class that is derived from it, has
///
///   bool choose_step()       direction and first length of a step; false: there is none worth it
///   void try_step()          next_ = x_ + length_ direction_, or the point of its set close to it
///   void learn_curvature()   from step_, and the change_ of the gradient that it brought
///   void forget_curvature()
///
/// and begins with start_at.
template <class Search>
class DescentSearch {
 public:
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
    step_ = next_ - x_;
    const bool accepted =
        std::isfinite(value) && gradient.allFinite() &&
        value <= value_ + kSufficientDecrease * std::min(0.0, gradient_.dot(step_));
    if (!accepted) return shorten_step();
    change_ = gradient - gradient_;
    const double decrease = value_ - value;
    accept(value, gradient);
    self().learn_curvature();
    if (decrease < value_tolerance_) {
      is_over_ = true;
    } else {
      begin_step();
    }
  }

  /// Where the search stands, and the value there.
  [[nodiscard]] const Vector& x() const { return x_; }
  [[nodiscard]] double value() const { return value_; }

  /// finish does what is left of the search, and returns the value at its end, x.
  /// `function(x, gradient)` returns the value at x and writes its gradient.
  template <class Function>
  double finish(Function&& function, Vector& x) {
    gradient_at_next_.resize(next_.size());
    while (!is_over_) {
      const double value = function(next_, gradient_at_next_);
      observe(value, gradient_at_next_);
    }
    x = x_;
    return value_;
  }

 protected:
  /// At most so many iterations, each of which brings at least `value_tolerance`.
  DescentSearch(int max_iterations, double value_tolerance)
      : max_iterations_(max_iterations), value_tolerance_(value_tolerance) {}

  void start_at(const Vector& x) {
    next_ = x;
    has_value_ = false;
    is_over_ = false;
    iterations_ = 0;
    self().forget_curvature();
  }

  Vector x_;
  Vector gradient_;
  bool knows_curvature_ = false;

  // The step under way.
  Vector direction_;
  double length_ = 0.0;
  Vector next_;
  Vector step_;
  Vector change_;  // of the gradient

 private:
  static constexpr double kSufficientDecrease = 1e-4;
  static constexpr int kTrials = 12;

  [[nodiscard]] Search& self() { return static_cast<Search&>(*this); }

  void accept(double value, const Vector& gradient) {
    x_ = next_;
    value_ = value;
    gradient_ = gradient;
  }

  /// Chooses direction and length of the next step, unless the search is at its end.
  void begin_step() {
    is_over_ = iterations_++ >= max_iterations_ || !self().choose_step();
    if (is_over_) return;
    trials_ = 0;
    self().try_step();
  }

  /// After many trials the curvature is forgotten; without any there is nothing left to try.
  void shorten_step() {
    length_ *= trials_ < 2 ? 0.4 : 0.15;
    if (++trials_ < kTrials) return self().try_step();
    is_over_ = !knows_curvature_;
    if (is_over_) return;
    self().forget_curvature();
    begin_step();
  }

  int max_iterations_;
  double value_tolerance_;
  double value_ = 0.0;
  bool has_value_ = false;
  bool is_over_ = false;
  int iterations_ = 0;
  int trials_ = 0;
  Vector gradient_at_next_;  // workspace of finish
};

}  // namespace oscbo::numeric
