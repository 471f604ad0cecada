#include "learners/calibration_split.hpp"

#include <algorithm>
#include <cmath>

namespace oscbo::learners {

Index calibration_count(Index n, double fraction) {
  if (n < kFewestTrainingPoints + kFewestCalibrationPoints) return 0;
  const auto wanted = static_cast<Index>(std::lround(fraction * static_cast<double>(n)));
  return std::clamp(wanted, kFewestCalibrationPoints, n - kFewestTrainingPoints);
}

CalibrationSplit draw_split(Index n, double fraction, numeric::RandomStream& stream) {
  struct KeyedPoint {
    double key;
    Index point;
  };
  std::vector<KeyedPoint> points;
  for (Index i = 0; i < n; ++i) points.push_back({.key = stream.uniform(), .point = i});
  std::stable_sort(points.begin(), points.end(),
                   [](const KeyedPoint& a, const KeyedPoint& b) { return a.key < b.key; });

  CalibrationSplit split;
  const Index held_out = calibration_count(n, fraction);
  for (const KeyedPoint& keyed : points) {
    const bool full = static_cast<Index>(split.calibration.size()) == held_out;
    (full ? split.training : split.calibration).push_back(keyed.point);
  }
  std::sort(split.training.begin(), split.training.end());
  std::sort(split.calibration.begin(), split.calibration.end());
  return split;
}

}  // namespace oscbo::learners
