#include "experiment/calibration_figures.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace oscbo::experiment {
namespace {

constexpr CalibrationColumns kColumns = {100.0, 0.5, 0.75, 0.8, 0.85, 0.9, 0.125, 3.0, -1.5, 0.25};

TEST(CalibrationFigures, MapToColumnsInOrder) {
  const CalibrationFigures figures = from_columns(kColumns);
  EXPECT_EQ(figures.predictions, 100.0);
  EXPECT_EQ(figures.coverage, (std::array<double, 5>{0.5, 0.75, 0.8, 0.85, 0.9}));
  EXPECT_EQ(figures.pit_distance, 0.125);
  EXPECT_EQ(figures.mean_width, 3.0);
  EXPECT_EQ(figures.log_score, -1.5);
  EXPECT_EQ(figures.crps, 0.25);
  EXPECT_EQ(to_columns(figures), kColumns);
}

TEST(CalibrationFigures, EqualTheReport) {
  const std::vector<Forecast> forecasts = {
      {.mean = 0.0, .observation_sd = 1.0, .width = 2.0, .y = 0.0},
      {.mean = 0.0, .observation_sd = 1.0, .width = 4.0, .y = 1.5}};
  const CalibrationReport report = calibration(forecasts);
  const CalibrationFigures figures = figures_of(report);
  EXPECT_EQ(figures.predictions, 2.0);
  EXPECT_EQ(figures.coverage, (std::array<double, 5>{0.5, 0.5, 0.5, 1.0, 1.0}));
  EXPECT_EQ(figures.mean_width, 3.0);
  EXPECT_EQ(figures.pit_distance, report.pit_distance);
  EXPECT_EQ(figures.log_score, report.log_score);
  EXPECT_EQ(figures.crps, report.crps);
}

TEST(CalibrationFigures, AreAveragedSeparately) {
  CalibrationColumns other = kColumns;
  for (double& column : other) column += 2.0;
  const CalibrationColumns means =
      to_columns(mean_figures(std::vector{from_columns(kColumns), from_columns(other)}));
  for (std::size_t i = 0; i < means.size(); ++i) EXPECT_DOUBLE_EQ(means[i], kColumns[i] + 1.0);
}

TEST(CalibrationFigures, AreUndefinedWithoutPredictions) {
  const CalibrationFigures none = figures_of(calibration(std::span<const Forecast>{}));
  const CalibrationColumns means = to_columns(mean_figures(std::vector{none, none}));
  EXPECT_EQ(means[0], 0.0);
  for (std::size_t i = 1; i < means.size(); ++i) EXPECT_TRUE(std::isnan(means[i]));
}

}  // namespace
}  // namespace oscbo::experiment
