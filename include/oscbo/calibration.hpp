// File: oscbo/calibration.hpp
//
// How far the predictions of a run, finished or not, could be trusted. Only what was predicted
// before an observation was made is compared with it, so the figures need no held-out data:
//
//   const oscbo::CalibrationReport report = oscbo::calibration(optimizer.trials());
//   for (const oscbo::LevelCoverage& level : report.coverage) {
//     std::printf("%.1f %% intervals held %.1f %%\n", 100 * level.nominal, 100 * level.measured);
//   }
#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "oscbo/optimizer.hpp"

namespace oscbo {

/// The nominal levels at which coverage is measured. The third is P(|Z| <= sqrt(2)), that of the
/// interval mean +- sqrt(beta) observation_sd at beta = 2.
inline constexpr std::array<double, 5> kCoverageLevels = {0.5, 0.8, 0.8427007929497149, 0.9, 0.95};

/// An observation and what was predicted of it: a normal distribution, and the width of the
/// interval that was shown.
struct Forecast {
  double mean = 0.0;
  double observation_sd = 0.0;
  double width = 0.0;
  double y = 0.0;
};

/// How many observations fell inside the central interval of one level.
struct LevelCoverage {
  double nominal = 0.0;
  double measured = std::numeric_limits<double>::quiet_NaN();  // fraction; NaN for no predictions
  double lower = 0.0;  // Wilson 95 % interval of the fraction; [0, 1] for no predictions
  double upper = 1.0;
};

/// With no predictions the means and the distance are NaN.
struct CalibrationReport {
  int predictions = 0;  // that have their observation
  std::array<LevelCoverage, kCoverageLevels.size()> coverage = {};

  /// How many observations fell inside the intervals that were shown, which are those of the game.
  /// Its nominal level is the mean of what they claimed, P(|Z| <= width / (2 observation_sd)).
  LevelCoverage shown = {};

  /// u = Phi((y - mean) / observation_sd), in the order of the predictions. Predictions that tell
  /// the truth give independent values, uniform on [0, 1]; 0 and 1 stand for extreme residuals.
  std::vector<double> pit = {};

  /// sup |empirical distribution of pit - uniform|. Of n predictions that tell the truth, one set
  /// in twenty is further away than about 1.36 / sqrt(n).
  double pit_distance = std::numeric_limits<double>::quiet_NaN();

  double mean_width = std::numeric_limits<double>::quiet_NaN();

  /// Mean log density of the observations under their predictions; higher is better. It depends
  /// on the units of the observations.
  double log_score = std::numeric_limits<double>::quiet_NaN();

  /// Mean continuous ranked probability score, the integral of (F(x) - 1{y <= x})^2 over x, in the
  /// units of the observations; lower is better.
  double crps = std::numeric_limits<double>::quiet_NaN();
};

/// is_covered returns whether the observation lies in the interval that was shown.
[[nodiscard]] bool is_covered(const Forecast& forecast) noexcept;

/// make_forecast joins a prediction and the observation that followed.
[[nodiscard]] Forecast make_forecast(const Prediction& prediction, double y);

/// calibration measures `forecasts`. Throws Error (invalid_value) for NaN and for a negative sd;
/// every other value, however extreme, gives figures that are numbers.
[[nodiscard]] CalibrationReport calibration(std::span<const Forecast> forecasts);

/// calibration measures the trials that have a prediction and its observation.
[[nodiscard]] CalibrationReport calibration(std::span<const Trial> trials);

}  // namespace oscbo
