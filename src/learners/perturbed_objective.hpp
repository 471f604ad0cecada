// The objective that solvers minimise: F(theta) - <eta, theta> - log prior(theta). F is the
// gp::LengthscaleObjective, that is, J of docs/methods.md without its perturbation. The game of
// oscbo has a perturbation eta and no prior. A maximum a posteriori fit has a prior and no
// perturbation.
#pragma once

#include <utility>

#include "gp/lengthscale_objective.hpp"
#include "learners/theta_prior.hpp"
#include "learners/theta_transform.hpp"
#include "online/game_options.hpp"

namespace oscbo::learners {

using gp::Index;
using gp::Vector;

/// Holds a reference to F. An empty eta means no perturbation, and an empty prior means a flat
/// prior. With PerturbedSpace::raw, eta multiplies the raw coordinates (theta_transform.hpp)
/// instead of theta.
class PerturbedObjective {
 public:
  PerturbedObjective(gp::LengthscaleObjective& objective, Vector eta,
                     online::PrimalOptions::PerturbedSpace space, Transform transform,
                     ThetaPrior prior = {})
      : objective_(objective),
        eta_(std::move(eta)),
        space_(space),
        transform_(transform),
        prior_(std::move(prior)) {}

  double value(const Vector& theta) { return objective_.value(theta) - reward(theta); }

  /// size returns the number of points.
  [[nodiscard]] Index size() const { return objective_.size(); }

  /// scan returns the values at theta = (l, ..., l), with `entries` entries, for each l.
  Vector scan(const Vector& lengthscales, Index entries) {
    Vector values = objective_.scan(lengthscales, entries);
    for (Index i = 0; i < values.size(); ++i) {
      values[i] -= reward(Vector::Constant(entries, lengthscales[i]));
    }
    return values;
  }

  double value_and_gradient(const Vector& theta, Vector& gradient) {
    const double value = objective_.value_and_gradient(theta, gradient);
    for (Index k = 0; k < eta_.size(); ++k) {
      gradient[k] -= space_ == online::PrimalOptions::PerturbedSpace::theta
                         ? eta_[k]
                         : eta_[k] / transform_.slope(theta[k]);
    }
    for (std::size_t k = 0; k < prior_.size(); ++k) {
      const auto entry = static_cast<Index>(k);
      gradient[entry] -= prior_[k].slope(theta[entry]);
    }
    return value - reward(theta);
  }

 private:
  [[nodiscard]] double reward(const Vector& theta) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < prior_.size(); ++k) {
      sum += prior_[k].log_density(theta[static_cast<Index>(k)]);
    }
    for (Index k = 0; k < eta_.size(); ++k) {
      sum += eta_[k] * (space_ == online::PrimalOptions::PerturbedSpace::theta
                            ? theta[k]
                            : transform_.raw(theta[k]));
    }
    return sum;
  }

  gp::LengthscaleObjective& objective_;
  Vector eta_;
  online::PrimalOptions::PerturbedSpace space_;
  Transform transform_;
  ThetaPrior prior_;
};

}  // namespace oscbo::learners
