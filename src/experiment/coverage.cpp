#include <cmath>

#include "experiment/statistics.hpp"
#include "optimizer/wilson_interval.hpp"
#include "oscbo/experiment.hpp"

namespace oscbo {

Coverage measure_coverage(std::span<const RunRow> rows) {
  Coverage coverage;
  double nominal = 0.0;
  double widths = 0.0;
  for (const RunRow& row : rows) {
    if (!row.prediction || !row.feedback) continue;
    ++coverage.predicted;
    coverage.covered += row.feedback->covered ? 1 : 0;
    nominal += experiment::nominal_coverage(row.prediction->beta);
    widths += row.prediction->width;
  }
  const FractionInterval interval = wilson_interval(coverage.covered, coverage.predicted);
  coverage.lower = interval.lower;
  coverage.upper = interval.upper;
  // Without predictions, these are 0 / 0, the documented NaN.
  coverage.nominal = nominal / coverage.predicted;
  coverage.mean_width = widths / coverage.predicted;
  return coverage;
}

CalibrationReport calibration(std::span<const RunRow> rows) {
  std::vector<Forecast> forecasts;
  for (const RunRow& row : rows) {
    if (row.prediction && !std::isnan(row.y))
      forecasts.push_back(make_forecast(*row.prediction, row.y));
  }
  return calibration(forecasts);
}

}  // namespace oscbo
