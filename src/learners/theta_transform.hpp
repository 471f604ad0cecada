// Unconstrained ("raw") coordinates for positive lengthscales.
#pragma once

#include <cmath>

#include "learners/learner_options.hpp"

namespace oscbo::learners {

/// The map from raw to theta:
///
///   softplus   theta = log(1 + exp(raw))
///   log        theta = exp(raw)
///   clamp      theta = raw
class Transform {
 public:
  explicit Transform(LearnerOptions::Transform kind) : kind_(kind) {}

  [[nodiscard]] double theta(double raw) const {
    switch (kind_) {
      case LearnerOptions::Transform::softplus:
        return std::max(raw, 0.0) + std::log1p(std::exp(-std::abs(raw)));
      case LearnerOptions::Transform::log: return std::exp(raw);
      case LearnerOptions::Transform::clamp: break;
    }
    return raw;
  }

  [[nodiscard]] double raw(double theta) const {
    switch (kind_) {
      case LearnerOptions::Transform::softplus: return theta + std::log(-std::expm1(-theta));
      case LearnerOptions::Transform::log: return std::log(theta);
      case LearnerOptions::Transform::clamp: break;
    }
    return theta;
  }

  /// slope returns d theta / d raw. For softplus it is the sigmoid 1 - exp(-theta).
  [[nodiscard]] double slope(double theta) const {
    switch (kind_) {
      case LearnerOptions::Transform::softplus: return -std::expm1(-theta);
      case LearnerOptions::Transform::log: return theta;
      case LearnerOptions::Transform::clamp: break;
    }
    return 1.0;
  }

 private:
  LearnerOptions::Transform kind_;
};

}  // namespace oscbo::learners
