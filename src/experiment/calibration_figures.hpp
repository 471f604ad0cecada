// The numbers that describe the calibration of a run: their conversion to and from columns of
// calibration.csv, and their means over runs.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "oscbo/experiment.hpp"

namespace oscbo::experiment {

/// The columns of calibration.csv after `method,task,seed`.
using CalibrationColumns = std::array<double, kCoverageLevels.size() + 5>;

[[nodiscard]] CalibrationColumns to_columns(const CalibrationFigures& figures);
[[nodiscard]] CalibrationFigures from_columns(const CalibrationColumns& columns);

/// figures_of extracts the figures of a run from its report.
[[nodiscard]] CalibrationFigures figures_of(const CalibrationReport& report);

/// mean_figures returns the mean of each figure over `runs`. A mean is NaN if the figure is
/// undefined for any run.
[[nodiscard]] CalibrationFigures mean_figures(std::span<const CalibrationFigures> runs);

}  // namespace oscbo::experiment
