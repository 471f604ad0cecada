#include "oscbo/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <fmt/format.h>

#include "numeric/normal.hpp"
#include "optimizer/wilson_interval.hpp"

namespace oscbo {
namespace {

/// z with P(|Z| <= z) = level, for each of kCoverageLevels.
constexpr std::array<double, kCoverageLevels.size()> kHalfWidths = {
    0.6744897501960817, 1.2815515655446004, std::numbers::sqrt2, 1.6448536269514722,
    1.959963984540054};

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kLargestResidual = 1e150;  // its square, and sums of these, stay finite

double within_range(double value) { return std::clamp(value, -kLargest, kLargest); }

/// The parts of a forecast that the scores need.
struct Residual {
  double z = 0.0;     // (y - mean) / sd
  double half = 0.0;  // (y - mean) / 2, which cannot overflow
  double sd = 1.0;    // of the observation; positive even if it was too small for a double

  explicit Residual(const Forecast& forecast)
      : half(0.5 * within_range(forecast.y) - 0.5 * within_range(forecast.mean)),
        sd(std::clamp(forecast.observation_sd, std::numeric_limits<double>::min(), kLargest)) {
    z = std::clamp(half / (0.5 * sd), -kLargestResidual, kLargestResidual);
  }

  [[nodiscard]] double pit() const { return numeric::normal_cdf(z); }

  /// log N(y; mean, sd^2) = -z^2 / 2 - log sd - log(2 pi) / 2
  [[nodiscard]] double log_score() const {
    return -0.5 * z * z - std::log(sd) - 0.5 * std::log(2.0 * std::numbers::pi);
  }

  /// sd [z (2 Phi(z) - 1) + 2 phi(z) - 1 / sqrt(pi)]
  [[nodiscard]] double crps() const {
    return 2.0 * std::abs(half) * std::erf(std::abs(z) / std::numbers::sqrt2) +
           sd * (2.0 * numeric::normal_density(z) - std::numbers::inv_sqrtpi);
  }
};

void check(const Forecast& forecast, std::size_t index) {
  const bool has_nan = std::isnan(forecast.mean) || std::isnan(forecast.observation_sd) ||
                       std::isnan(forecast.width) || std::isnan(forecast.y);
  if (!has_nan && forecast.observation_sd >= 0.0) return;
  throw Error(ErrorCode::invalid_value, fmt::format("forecasts[{}]", index),
              "is not accepted; it must hold numbers, and an sd of at least 0");
}

/// max over x of |F_n(x) - x|, attained just before or at one of the values.
double distance_to_uniform(std::vector<double> values) {
  std::ranges::sort(values);
  const auto count = static_cast<double>(values.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double below = static_cast<double>(i) / count;
    const double above = static_cast<double>(i + 1) / count;
    distance = std::max({distance, values[i] - below, above - values[i]});
  }
  return distance;
}

LevelCoverage coverage_of(double nominal, std::ptrdiff_t inside, std::size_t all) {
  const auto covered = static_cast<int>(inside);
  const auto count = static_cast<int>(all);
  const FractionInterval interval = wilson_interval(covered, count);
  // With no predictions the fraction is 0 / 0, the NaN that LevelCoverage documents.
  return {.nominal = nominal,
          .measured = static_cast<double>(covered) / count,
          .lower = interval.lower,
          .upper = interval.upper};
}

LevelCoverage coverage_at(std::size_t level, std::span<const Residual> residuals) {
  const auto inside =
      std::ranges::count_if(residuals, [half_width = kHalfWidths[level]](const Residual& residual) {
        return std::abs(residual.z) <= half_width;
      });
  return coverage_of(kCoverageLevels[level], inside, residuals.size());
}

LevelCoverage coverage_shown(std::span<const Forecast> forecasts) {
  double claimed = 0.0;
  for (const Forecast& forecast : forecasts) {
    claimed += std::erf(0.5 * forecast.width / (std::numbers::sqrt2 * Residual(forecast).sd));
  }
  return coverage_of(claimed / static_cast<double>(forecasts.size()),
                     std::ranges::count_if(forecasts, is_covered), forecasts.size());
}

}  // namespace

bool is_covered(const Forecast& forecast) noexcept {
  return std::abs(forecast.y - forecast.mean) <= 0.5 * forecast.width;
}

Forecast make_forecast(const Prediction& prediction, double y) {
  return {.mean = prediction.mean,
          .observation_sd = prediction.observation_sd,
          .width = prediction.width,
          .y = y};
}

CalibrationReport calibration(std::span<const Forecast> forecasts) {
  std::vector<Residual> residuals;
  double width_sum = 0.0;
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    check(forecasts[i], i);
    residuals.emplace_back(forecasts[i]);
    width_sum += forecasts[i].width;
  }

  CalibrationReport report{.predictions = static_cast<int>(residuals.size())};
  for (std::size_t level = 0; level < report.coverage.size(); ++level) {
    report.coverage[level] = coverage_at(level, residuals);
  }
  report.shown = coverage_shown(forecasts);
  if (residuals.empty()) return report;

  double log_score_sum = 0.0;
  double crps_sum = 0.0;
  for (const Residual& residual : residuals) {
    report.pit.push_back(residual.pit());
    log_score_sum += residual.log_score();
    crps_sum += residual.crps();
  }
  const auto count = static_cast<double>(residuals.size());
  report.pit_distance = distance_to_uniform(report.pit);
  report.mean_width = width_sum / count;
  report.log_score = log_score_sum / count;
  report.crps = crps_sum / count;
  return report;
}

CalibrationReport calibration(std::span<const Trial> trials) {
  std::vector<Forecast> forecasts;
  for (const Trial& trial : trials) {
    if (trial.prediction() && trial.y())
      forecasts.push_back(make_forecast(*trial.prediction(), *trial.y()));
  }
  return calibration(forecasts);
}

}  // namespace oscbo
