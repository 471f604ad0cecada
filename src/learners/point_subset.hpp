// Some of the observations, as data of their own.
#pragma once

#include <vector>

#include "gp/inputs.hpp"
#include "learners/lengthscale_rule.hpp"

namespace oscbo::learners {

/// points_of returns those points of `inputs`, in the order given.
[[nodiscard]] inline gp::Inputs points_of(const gp::Inputs& inputs,
                                          const std::vector<Index>& points) {
  gp::Inputs subset(inputs.dimension(), static_cast<Index>(points.size()));
  for (const Index i : points) subset.append(inputs.point(i));
  return subset;
}

/// noise_of_points returns what is known of the noise of these observations.
[[nodiscard]] inline std::vector<double> noise_of_points(gp::KnownNoise known,
                                                         const std::vector<Index>& points) {
  std::vector<double> subset;
  if (known.empty()) return subset;
  for (const Index i : points) subset.push_back(known[static_cast<std::size_t>(i)]);
  return subset;
}

/// Some of the observations, in the order given.
class ObservationSubset {
 public:
  ObservationSubset(const Observations& observations, const std::vector<Index>& points)
      : inputs_(points_of(observations.inputs, points)),
        y_(observations.y(points)),
        known_noise_(noise_of_points(observations.known_noise, points)) {}

  /// get returns them as they are while the object lives.
  [[nodiscard]] Observations get() const {
    return {.inputs = inputs_, .y = y_, .known_noise = known_noise_};
  }

 private:
  gp::Inputs inputs_;
  Vector y_;
  std::vector<double> known_noise_;
};

/// Some of the observations, or all when none are named. Refers to them.
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
