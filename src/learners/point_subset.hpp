// Some of the observations, as data of their own.
#pragma once

#include <vector>

#include "gp/inputs.hpp"
#include "learners/lengthscale_rule.hpp"

namespace oscbo::learners {

/// append_points appends those points of `inputs` to `subset`, in the order given.
inline void append_points(const gp::Inputs& inputs, const std::vector<Index>& points,
                          gp::Inputs& subset) {
  for (const Index i : points) subset.append(inputs.point(i));
}

/// points_of returns those points of `inputs`, in the order given.
[[nodiscard]] inline gp::Inputs points_of(const gp::Inputs& inputs,
                                          const std::vector<Index>& points) {
  gp::Inputs subset(inputs.dimension(), static_cast<Index>(points.size()));
  append_points(inputs, points, subset);
  return subset;
}

/// Some of the observations, or all when none are named. Refers to them.
class ChosenObservations {
 public:
  ChosenObservations(const Observations& observations, const std::vector<Index>& points)
      : all_(observations),
        is_all_(points.empty()),
        inputs_(points_of(observations.inputs, points)),
        y_(observations.y(points)) {}

  [[nodiscard]] const gp::Inputs& inputs() const { return is_all_ ? all_.inputs : inputs_; }
  [[nodiscard]] const Vector& y() const { return is_all_ ? all_.y : y_; }

 private:
  Observations all_;
  bool is_all_;
  gp::Inputs inputs_;
  Vector y_;
};

}  // namespace oscbo::learners
