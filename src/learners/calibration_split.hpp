// The method scgp (docs/methods.md) splits the points into training points and points that it holds
// out for calibration.
#pragma once

#include <vector>

#include "gp/inputs.hpp"
#include "numeric/random_stream.hpp"

namespace oscbo::learners {

using gp::Index;

inline constexpr Index kFewestTrainingPoints = 3;
inline constexpr Index kFewestCalibrationPoints = 2;

/// Point indices, ascending.
struct CalibrationSplit {
  std::vector<Index> training;
  std::vector<Index> calibration;
};

/// calibration_count returns how many of n points are held out: fraction * n, rounded and then
/// clamped so that both parts have at least their minimum size. Returns 0 if n is too small for
/// that.
[[nodiscard]] Index calibration_count(Index n, double fraction);

/// draw_split holds out a random set of calibration_count(n, fraction) points: the points with the
/// smallest keys, where the key of point i is the i-th uniform of the stream. If the same stream is
/// used for every n, each point keeps its key, so most points stay in their part when further
/// points arrive.
[[nodiscard]] CalibrationSplit draw_split(Index n, double fraction, numeric::RandomStream& stream);

}  // namespace oscbo::learners
