// Which points SCGP trains on and which it holds out for calibration.
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

/// calibration_count returns how many of n points are held out: the fraction, rounded, but such
/// that both parts have their fewest points. 0 when n is too small for that.
[[nodiscard]] Index calibration_count(Index n, double fraction);

/// draw_split holds out a random set of that size: the points of the smallest keys, where point i
/// has the i-th uniform of the stream as its key. With one stream for all n the parts therefore
/// keep their points as others arrive, but for those that the sizes move across.
[[nodiscard]] CalibrationSplit draw_split(Index n, double fraction, numeric::RandomStream& stream);

}  // namespace oscbo::learners
