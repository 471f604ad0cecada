// The two inner solvers for the lengthscales. Both minimise the same function object.
//
//   adam    the paper's solver: a fixed number of Adam steps in raw coordinates from a warm start
//   exact   close to the oracle that the theory assumes. For one lengthscale it finds the global
//           minimum over the whole interval; with many points, it mostly searches close to the
//           previous minimum. With one lengthscale per parameter (ARD), it returns the best of
//           several quasi-Newton searches
#pragma once

#include <functional>

#include "learners/learner_options.hpp"
#include "learners/perturbed_objective.hpp"
#include "numeric/adam.hpp"
#include "numeric/interpolated_minimum.hpp"
#include "numeric/random_stream.hpp"

namespace oscbo::learners {

/// A value type. It keeps Adam's moments between fits unless config.reset_moments is set.
class LengthscaleSolver {
 public:
  explicit LengthscaleSolver(const LearnerOptions& config)
      : config_(config), transform_(config.transform) {}

  /// minimise returns lengthscales in [theta_min, theta_max], as many as `start` has. If
  /// config.restarts > 1, the additional starts are log-uniform draws from `stream`.
  [[nodiscard]] Vector minimise(PerturbedObjective& objective, const Vector& start,
                                numeric::RandomStream stream);

  /// A function of the lengthscales: returns its value at theta and writes its gradient.
  using Function = std::function<double(const Vector& theta, Vector& gradient)>;

  /// adam takes config.adam_steps Adam steps from `start` on any function, and returns the final
  /// point. It evaluates the function before every step, but not at the final point.
  [[nodiscard]] Vector adam(const Function& function, const Vector& start);

  /// learn_noise declares that the last entry of theta is a noise variance, with its own lower
  /// bound.
  void learn_noise() { learns_noise_ = true; }

  [[nodiscard]] const Transform& transform() const { return transform_; }

 private:
  [[nodiscard]] Vector lower_bounds(Index dimension) const;
  [[nodiscard]] Vector adam_on(PerturbedObjective& objective, const Vector& start);
  [[nodiscard]] std::vector<numeric::Sample> look_around(PerturbedObjective& objective,
                                                         Index dimension);
  [[nodiscard]] Vector scan_and_refine(PerturbedObjective& objective, Index dimension);
  [[nodiscard]] Vector quasi_newton(PerturbedObjective& objective, const Vector& start) const;
  [[nodiscard]] Vector best_of(PerturbedObjective& objective, const std::vector<Vector>& starts);
  [[nodiscard]] Vector random_start(Index dimension, numeric::RandomStream& stream) const;

  LearnerOptions config_;
  Transform transform_;
  bool learns_noise_ = false;
  Index scanned_ = 0;     // number of points at the last full scan, see look_around
  double minimum_ = 0.0;  // logarithm of the lengthscale found last
  numeric::AdamMoments moments_;
};

}  // namespace oscbo::learners
