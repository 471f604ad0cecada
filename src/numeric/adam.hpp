// Adam, the stochastic gradient method of Kingma and Ba (2015), with bias correction:
//
//   m <- 0.9 m + 0.1 g      v <- 0.999 v + 0.001 g^2
//   direction = (m / (1 - 0.9^t)) / (sqrt(v / (1 - 0.999^t)) + 1e-8)
//
// for the gradient g of step t = 1, 2, ...
#pragma once

#include <algorithm>
#include <cmath>

#include "numeric/padded_matrix.hpp"

namespace oscbo::numeric {

/// The running moments of the gradient.
class AdamMoments {
 public:
  /// reset forgets all steps.
  void reset(Index dimension) {
    first_.setZero(dimension);
    second_.setZero(dimension);
    steps_ = 0;
  }

  [[nodiscard]] Index dimension() const { return first_.size(); }

  void begin_step() {
    ++steps_;
    correction1_ = 1.0 - std::pow(kDecay1, steps_);
    correction2_ = 1.0 - std::pow(kDecay2, steps_);
  }

  /// direction takes entry k of the gradient of this step and returns entry k of the direction.
  [[nodiscard]] double direction(Index k, double g) {
    first_[k] = kDecay1 * first_[k] + (1.0 - kDecay1) * g;
    second_[k] = kDecay2 * second_[k] + (1.0 - kDecay2) * g * g;
    return (first_[k] / correction1_) / (std::sqrt(second_[k] / correction2_) + kEpsilon);
  }

 private:
  static constexpr double kDecay1 = 0.9;
  static constexpr double kDecay2 = 0.999;
  static constexpr double kEpsilon = 1e-8;

  Vector first_;
  Vector second_;
  int steps_ = 0;
  double correction1_ = 1.0;
  double correction2_ = 1.0;
};

/// Adam on a box, for a given number of steps, whatever the values are. `rate` is in units of the
/// sides of the box, and x is clipped to the box after every step. The caller evaluates the
/// function, as with BoxSearch.
class AdamSearch {
 public:
  AdamSearch(double rate, int steps) : rate_(rate), steps_left_(steps) {}

  /// begin starts the search at x. Requires x inside the box.
  void begin(const Vector& lower, const Vector& upper, const Vector& x) {
    lower_ = lower;
    upper_ = upper;
    x_ = x;
    moments_.reset(x.size());
  }

  [[nodiscard]] bool is_over() const { return steps_left_ < 0; }

  /// next returns the point to evaluate next. The last point to evaluate is the end point of the
  /// search.
  [[nodiscard]] const Vector& next() const { return x_; }

  /// observe takes the gradient at the point that `next` returned. An entry that is not finite
  /// leaves its coordinate where it is.
  void observe(double /*value*/, const Vector& gradient) {
    if (--steps_left_ < 0) return;
    moments_.begin_step();
    for (Index k = 0; k < x_.size(); ++k) {
      const double side = upper_[k] - lower_[k];
      const double g = side * gradient[k];
      if (!std::isfinite(g)) continue;
      const double moved = x_[k] - rate_ * side * moments_.direction(k, g);
      x_[k] = std::clamp(moved, lower_[k], upper_[k]);
    }
  }

 private:
  double rate_;
  int steps_left_;
  Vector lower_;
  Vector upper_;
  Vector x_;
  AdamMoments moments_;
};

}  // namespace oscbo::numeric
