// The leader's objective as solvers see it: J(theta) - <eta, theta>.
#pragma once

#include <utility>

#include "gp/lengthscale_objective.hpp"
#include "learners/theta_transform.hpp"

namespace oscbo::learners {

using gp::Index;
using gp::Vector;

/// Refers to the Gaussian process objective; an empty eta means no perturbation.
class PerturbedObjective {
 public:
  PerturbedObjective(gp::LengthscaleObjective& objective, Vector eta, PerturbedSpace space,
                     Transform transform)
      : objective_(objective), eta_(std::move(eta)), space_(space), transform_(transform) {}

  double value(const Vector& theta) { return objective_.value(theta) - perturbation(theta); }

  double value_and_gradient(const Vector& theta, Vector& gradient) {
    const double value = objective_.value_and_gradient(theta, gradient);
    for (Index k = 0; k < eta_.size(); ++k) {
      gradient[k] -=
          space_ == PerturbedSpace::theta ? eta_[k] : eta_[k] / transform_.slope(theta[k]);
    }
    return value - perturbation(theta);
  }

 private:
  [[nodiscard]] double perturbation(const Vector& theta) const {
    double sum = 0.0;
    for (Index k = 0; k < eta_.size(); ++k) {
      sum += eta_[k] * (space_ == PerturbedSpace::theta ? theta[k] : transform_.raw(theta[k]));
    }
    return sum;
  }

  gp::LengthscaleObjective& objective_;
  Vector eta_;
  PerturbedSpace space_;
  Transform transform_;
};

}  // namespace oscbo::learners
