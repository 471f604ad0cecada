// The hyperparameters of largest posterior density: kernel, noise, location and scale together.
#pragma once

#include "learners/lengthscale_rule.hpp"
#include "model/hyperprior.hpp"
#include "numeric/box_minimiser.hpp"

namespace oscbo::model {

using learners::Observations;

struct FittedModel {
  Vector theta;  // of the kernel
  double noise_variance = 0.0;
  gp::Affine affine;
  double relative_scale = 1.0;  // the scale in sd of the observations
};

/// Whether location and scale are learned, or the observations are in units of the model already.
enum class AffinePart { learned, none };

/// Reusable, and a value. Location and scale, where they are learned, are profiled out, the rest is
/// searched for on the logarithmic scale; where noise is known so is the scale, which says what
/// that is to the model.
class PosteriorMode {
 public:
  PosteriorMode(const Config& config, const gp::Layout& layout,
                AffinePart affine = AffinePart::learned);

  /// find returns the better one of two local maxima: that uphill from where every fit may begin,
  /// and that uphill from `previous`, unless it is empty. `previous` becomes the one returned.
  /// The prior is that of a box with these sides. Of very many points, some are looked at.
  FittedModel find(const Observations& observations, const Vector& sides, Vector& previous);

  /// keep returns the model with hyperparameters that `find` left, and location and scale of other
  /// observations; some of them, likewise.
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

  // What is looked at.
  gp::Affine units_;
  Vector z_;                   // in these units
  std::vector<double> noise_;  // likewise, where it is known
  gp::ObjectiveTerms terms_;
};

}  // namespace oscbo::model
