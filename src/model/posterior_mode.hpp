// Maximum a posteriori hyperparameters: kernel, noise, location and scale together.
#pragma once

#include "learners/lengthscale_rule.hpp"
#include "model/hyperprior.hpp"
#include "numeric/box_minimiser.hpp"
#include "oscbo/config.hpp"

namespace oscbo::model {

using learners::Observations;

struct FittedModel {
  Vector theta;  // hyperparameters of the kernel
  double noise_variance = 0.0;
  gp::Affine affine;
  double relative_scale = 1.0;  // the scale in sd of the observations
};

/// Says whether location and scale are learned, or the observations are already in units of the
/// model.
enum class AffinePart { learned, none };

/// A reusable value type. If location and scale are learned, they are profiled out, and the other
/// hyperparameters are searched on the logarithmic scale. If any noise is known, the scale is
/// searched too, because it determines that noise in units of the model.
class PosteriorMode {
 public:
  PosteriorMode(const Config& config, const gp::Layout& layout,
                AffinePart affine = AffinePart::learned);

  /// find climbs to a local maximum from the default start (Hyperprior::first) and, unless
  /// `previous` is empty, to another one from `previous`. It returns the model at the better
  /// maximum and sets `previous` to that maximum. The prior is adapted to a box with these sides
  /// (Hyperprior::set_sides). With more than 150 points, find uses a subset.
  FittedModel find(const Observations& observations, const Vector& sides, Vector& previous);

  /// keep returns the model with the hyperparameters that `find` left in `log_theta`, and with the
  /// location and scale of these observations. With more than 150 points, keep uses a subset.
  FittedModel keep(const Observations& observations, const Vector& log_theta);

  [[nodiscard]] int evaluations() const { return objective_.evaluations(); }

 private:
  void look_at(const Observations& observations);
  [[nodiscard]] bool searches_scale() const { return learns_affine_ && !noise_.empty(); }
  [[nodiscard]] Vector extended(const Vector& log_theta, double log_scale) const;
  double climb(Vector& log_theta);
  FittedModel model_at(const Vector& log_theta);

  bool learns_affine_;
  Hyperprior prior_;
  gp::LengthscaleObjective objective_;
  numeric::BoxMinimiser minimiser_;

  // The current observations.
  gp::Affine units_;
  Vector z_;                   // the observations in these units
  std::vector<double> noise_;  // the known noise in these units
  gp::ObjectiveTerms terms_;
};

}  // namespace oscbo::model
