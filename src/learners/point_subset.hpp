// Subsets of the observations.
#pragma once

#include <vector>

#include "gp/inputs.hpp"
#include "learners/lengthscale_rule.hpp"

namespace oscbo::learners {

/// points_of returns these points of `inputs`, in the given order.
[[nodiscard]] inline gp::Inputs points_of(const gp::Inputs& inputs,
                                          const std::vector<Index>& points) {
  gp::Inputs subset(inputs.dimension(), static_cast<Index>(points.size()));
  for (const Index i : points) subset.append(inputs.point(i));
  return subset;
}

/// noise_of_points returns the known noise of these observations.
[[nodiscard]] inline std::vector<double> noise_of_points(gp::KnownNoise known,
                                                         const std::vector<Index>& points) {
  std::vector<double> subset;
  if (known.empty()) return subset;
  for (const Index i : points) subset.push_back(known[static_cast<std::size_t>(i)]);
  return subset;
}

/// A subset of the observations, in the given order.
class ObservationSubset {
 public:
  ObservationSubset(const Observations& observations, const std::vector<Index>& points)
      : inputs_(points_of(observations.inputs, points)),
        y_(observations.y(points)),
        known_noise_(noise_of_points(observations.known_noise, points)) {}

  /// get returns the subset. It is valid for the lifetime of the object.
  [[nodiscard]] Observations get() const {
    return {.inputs = inputs_, .y = y_, .known_noise = known_noise_};
  }

 private:
  gp::Inputs inputs_;
  Vector y_;
  std::vector<double> known_noise_;
};

/// A subset of the observations, or all of them if `points` is empty. Holds references to the
/// observations.
class ChosenObservations {
 public:
  ChosenObservations(const Observations& observations, const std::vector<Index>& points)
      : all_(observations), is_all_(points.empty()), subset_(observations, points) {}

  [[nodiscard]] Observations get() const { return is_all_ ? all_ : subset_.get(); }
  [[nodiscard]] const gp::Inputs& inputs() const { return get().inputs; }
  [[nodiscard]] const Vector& y() const { return get().y; }
  [[nodiscard]] gp::KnownNoise known_noise() const { return get().known_noise; }

 private:
  Observations all_;
  bool is_all_;
  ObservationSubset subset_;
};

}  // namespace oscbo::learners
