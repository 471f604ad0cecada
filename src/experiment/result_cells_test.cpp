#include "experiment/result_cells.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiment/test_support.hpp"

namespace oscbo::experiment {
namespace {

RunRow model_row() {
  RunRow row;
  row.step = 7;
  row.x = {0.5, -2.0};
  row.y = 1.5;
  row.best = 2.5;
  row.simple_regret = 0.25;
  row.cumulative_regret = 12.0;
  row.prediction = prediction(1.0, 0.5, 3.0);
  row.prediction->lengthscales = {0.5, 0.75};
  row.prediction->multiplier = 0.375;
  row.prediction->phase = Phase::play;
  row.feedback = Feedback{
      .covered = true, .sharpness_loss = 0.25, .calibration_loss = -0.5, .violation = -3.0};
  row.fit_seconds = 0.5;
  row.acquisition_seconds = 0.125;
  return row;
}

TEST(ResultCells, CellsOfAModelBasedRow) {
  const RunRow row = model_row();
  EXPECT_EQ(run_cells(row), "7,1.5,2.5,0.25,12,1,0.5,3,1,0.25,-0.5,-3,0.375,0.5|0.75,play");
  EXPECT_EQ(timing_cells(row), "7,0.5,0.125");
  EXPECT_EQ(query_cells(row), "7,0.5|-2");
}

TEST(ResultCells, TheHeaderNamesTheCells) {
  std::string names;
  for_each_field<Feedback>([&](const auto& field) { names += fmt::format(",{}", field.name); });
  EXPECT_NE(kRunsHeader.find(names + ","), std::string_view::npos) << names;
  const std::string line = "method,task,0," + run_cells(model_row()) + "\n";
  EXPECT_EQ(std::ranges::count(line, ','), std::ranges::count(kRunsHeader, ','));
}

TEST(ResultCells, NamedValuesAreTextAndInactiveOnesAreEmpty) {
  RunRow row = model_row();
  row.x = {1.0, std::numeric_limits<double>::quiet_NaN(), 2.5};
  row.names = {"ethanol", "", ""};
  EXPECT_EQ(query_cells(row), "7,ethanol||2.5");
}

TEST(ResultCells, FailedEvaluationsHaveNoValueAndNoFeedback) {
  RunRow row = model_row();
  row.y = std::numeric_limits<double>::quiet_NaN();
  row.feedback.reset();
  EXPECT_EQ(run_cells(row), "7,,2.5,0.25,12,1,0.5,3,,,,,0.375,0.5|0.75,play");
}

TEST(ResultCells, MissesAreZeroAndCellsAreEmptyWithoutAGame) {
  RunRow row = model_row();
  row.feedback->covered = false;
  row.prediction->multiplier.reset();
  row.prediction->phase.reset();
  row.prediction->lengthscales = {0.5};
  EXPECT_EQ(run_cells(row), "7,1.5,2.5,0.25,12,1,0.5,3,0,0.25,-0.5,-3,,0.5,");
}

TEST(ResultCells, InitialPointsHaveEmptyModelCells) {
  RunRow row = model_row();
  row.step = -9;
  row.prediction.reset();
  row.feedback.reset();
  EXPECT_EQ(run_cells(row), "-9,1.5,2.5,0.25,12,,,,,,,,,,");
}

TEST(ResultCells, EveryRowHasAsManyCellsAsTheHeader) {
  const auto commas = [](std::string_view text) {
    return std::count(text.begin(), text.end(), ',');
  };
  RunRow initial = model_row();
  initial.prediction.reset();
  initial.feedback.reset();
  for (const RunRow& row : {model_row(), initial}) {
    EXPECT_EQ(commas("method,task,0," + run_cells(row)), commas(kRunsHeader));
    EXPECT_EQ(commas("method,task,0," + timing_cells(row)), commas(kTimingsHeader));
    EXPECT_EQ(commas("method,task,0," + query_cells(row)), commas(kQueriesHeader));
  }
  EXPECT_EQ(commas("method,task,0," + calibration_cells({})), commas(kCalibrationHeader));
  EXPECT_EQ(commas(summary_line({})), commas(kSummaryHeader));
}

TEST(ResultCells, CalibrationWithoutPredictionsIsEmpty) {
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  const CalibrationFigures none{
      .coverage = {kUndefined, kUndefined, kUndefined, kUndefined, kUndefined},
      .pit_distance = kUndefined,
      .mean_width = kUndefined,
      .log_score = kUndefined,
      .crps = kUndefined};
  EXPECT_EQ(calibration_cells(none), "0,,,,,,,,,");
}

}  // namespace
}  // namespace oscbo::experiment
