#include "experiment/calibration_figures.hpp"

#include <algorithm>
#include <vector>

#include "experiment/statistics.hpp"

namespace oscbo::experiment {

CalibrationColumns to_columns(const CalibrationFigures& figures) {
  CalibrationColumns columns = {figures.predictions};
  auto column = std::ranges::copy(figures.coverage, columns.begin() + 1).out;
  *column++ = figures.pit_distance;
  *column++ = figures.mean_width;
  *column++ = figures.log_score;
  *column++ = figures.crps;
  return columns;
}

CalibrationFigures from_columns(const CalibrationColumns& columns) {
  CalibrationFigures figures{.predictions = columns[0]};
  auto column =
      std::ranges::copy_n(columns.begin() + 1, figures.coverage.size(), figures.coverage.begin())
          .in;
  figures.pit_distance = *column++;
  figures.mean_width = *column++;
  figures.log_score = *column++;
  figures.crps = *column++;
  return figures;
}

CalibrationFigures figures_of(const CalibrationReport& report) {
  CalibrationFigures figures{.predictions = static_cast<double>(report.predictions),
                             .pit_distance = report.pit_distance,
                             .mean_width = report.mean_width,
                             .log_score = report.log_score,
                             .crps = report.crps};
  std::ranges::transform(report.coverage, figures.coverage.begin(), &LevelCoverage::measured);
  return figures;
}

CalibrationFigures mean_figures(std::span<const CalibrationFigures> runs) {
  CalibrationColumns means = {};
  for (std::size_t i = 0; i < means.size(); ++i) {
    std::vector<double> values;
    for (const CalibrationFigures& run : runs) values.push_back(to_columns(run)[i]);
    means[i] = mean(values);
  }
  return from_columns(means);
}

}  // namespace oscbo::experiment
