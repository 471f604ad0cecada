// File: oscbo/calibration.hpp
//
// How well the predictions of a run, finished or not, matched the observations. Each observation is
// compared with a prediction made before it, so no held-out data are needed:
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

/// The nominal levels at which coverage is measured. The third is P(|Z| <= sqrt(2)) for a standard
/// normal Z: the level of the interval mean +- sqrt(beta) observation_sd with beta = 2.
inline constexpr std::array<double, 5> kCoverageLevels = {0.5, 0.8, 0.8427007929497149, 0.9, 0.95};

/// A prediction (a normal distribution and the width of the interval that was shown) and the
/// observation `y` that followed it.
struct Forecast {
  double mean = 0.0;
  double observation_sd = 0.0;
  double width = 0.0;
  double y = 0.0;
};

/// The fraction of observations inside the central interval of one level.
struct LevelCoverage {
  double nominal = 0.0;
  double measured = std::numeric_limits<double>::quiet_NaN();  // NaN without predictions
  double lower = 0.0;  // Wilson 95 % interval of the fraction; [0, 1] without predictions
  double upper = 1.0;
};

/// Without predictions, the means and the distance are NaN.
struct CalibrationReport {
  int predictions = 0;  // predictions whose observation is known
  std::array<LevelCoverage, kCoverageLevels.size()> coverage = {};

  /// The fraction of observations inside the intervals that were shown. The calibration losses of
  /// the paper refer to the same intervals. The nominal level is the mean of their claimed levels
  /// P(|Z| <= width / (2 observation_sd)).
  LevelCoverage shown = {};

  /// The probability integral transform u = Phi((y - mean) / observation_sd), in the order of the
  /// predictions. Phi is the standard normal distribution function. Correct predictions lead to
  /// independent values, uniform on [0, 1]. Values near 0 and 1 belong to extreme residuals.
  std::vector<double> pit = {};

  /// sup |empirical distribution of pit - uniform|. For n correct predictions, it exceeds about
  /// 1.36 / sqrt(n) with probability 1/20.
  double pit_distance = std::numeric_limits<double>::quiet_NaN();

  double mean_width = std::numeric_limits<double>::quiet_NaN();

  /// The mean log density of the observations under their predictions; higher is better. It depends
  /// on the units of the observations.
  double log_score = std::numeric_limits<double>::quiet_NaN();

  /// The mean continuous ranked probability score, in the units of the observations; lower is
  /// better. For one prediction with distribution function F, the score is the integral of
  /// (F(x) - 1{y <= x})^2 over x.
  double crps = std::numeric_limits<double>::quiet_NaN();
};

/// is_covered tells whether the observation is inside the interval that was shown.
[[nodiscard]] bool is_covered(const Forecast& forecast) noexcept;

/// make_forecast combines a prediction and the observation that followed it.
[[nodiscard]] Forecast make_forecast(const Prediction& prediction, double y);

/// calibration computes the report for `forecasts`. Throws Error (invalid_value) for NaN and for a
/// negative sd. All other numbers are accepted, however extreme, and none leads to a NaN.
[[nodiscard]] CalibrationReport calibration(std::span<const Forecast> forecasts);

/// calibration computes the report for the trials that have both a prediction and an observation.
[[nodiscard]] CalibrationReport calibration(std::span<const Trial> trials);

}  // namespace oscbo
