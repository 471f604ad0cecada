#include <cmath>
#include <limits>

#include "experiment/statistics.hpp"
#include "optimizer/wilson_interval.hpp"
#include "oscbo/experiment.hpp"

namespace oscbo {

Coverage measure_coverage(std::span<const RunRow> rows, double beta) {
  Coverage coverage{.nominal = experiment::nominal_coverage(beta)};
  double widths = 0.0;
  for (const RunRow& row : rows) {
    if (!row.prediction || !row.feedback) continue;
    ++coverage.predicted;
    coverage.covered += row.feedback->covered ? 1 : 0;
    widths += row.prediction->width;
  }
  const FractionInterval interval = wilson_interval(coverage.covered, coverage.predicted);
  coverage.lower = interval.lower;
  coverage.upper = interval.upper;
  coverage.mean_width = coverage.predicted > 0 ? widths / coverage.predicted
                                               : std::numeric_limits<double>::quiet_NaN();
  return coverage;
}

CalibrationReport calibration(std::span<const RunRow> rows) {
  std::vector<Forecast> forecasts;
  for (const RunRow& row : rows) {
    if (row.prediction) forecasts.push_back(make_forecast(*row.prediction, row.y));
  }
  return calibration(forecasts);
}

}  // namespace oscbo
