// Some of the observations, as data of their own.
#pragma once

#include <vector>

#include "gp/inputs.hpp"

namespace oscbo::learners {

/// append_points appends those points of `inputs` to `subset`, in the order given.
inline void append_points(const gp::Inputs& inputs, const std::vector<gp::Index>& points,
                          gp::Inputs& subset) {
  for (const gp::Index i : points) subset.append(inputs.point(i));
}

/// points_of returns those points of `inputs`, in the order given.
[[nodiscard]] inline gp::Inputs points_of(const gp::Inputs& inputs,
                                          const std::vector<gp::Index>& points) {
  gp::Inputs subset(inputs.dimension(), static_cast<gp::Index>(points.size()));
  append_points(inputs, points, subset);
  return subset;
}

}  // namespace oscbo::learners
