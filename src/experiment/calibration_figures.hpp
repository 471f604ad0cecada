// The figures of calibration.csv, and how they are stored, written and averaged: as its columns.
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

/// figures_of returns the part of a report that is kept of a run.
[[nodiscard]] CalibrationFigures figures_of(const CalibrationReport& report);

/// mean_figures returns the mean of each figure over `runs`; what is undefined for one run is so
/// for all.
[[nodiscard]] CalibrationFigures mean_figures(std::span<const CalibrationFigures> runs);

}  // namespace oscbo::experiment
