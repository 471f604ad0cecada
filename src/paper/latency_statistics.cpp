#include "paper/latency_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "experiment/statistics.hpp"
#include "learners/learner_options.hpp"
#include "numeric/quantile.hpp"

namespace oscbo::paper {
namespace {

// Below this range, most of the time of an ask does not depend on the number of points.
constexpr int kFittedFrom = 300;
constexpr int kFittedTo = 3000;

/// longest_window returns the maximum growth of the points within a window: a tenth, but at least
/// ten rounds. The rounds of a method can differ: auto uses fewer points in every second round.
int longest_window(int points) { return std::max(10, points / 10); }

/// slope returns the slope of the least-squares line through the points.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const double mean_x = experiment::mean(x);
  const double mean_y = experiment::mean(y);
  double covariance = 0.0;
  double variance = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    covariance += (x[i] - mean_x) * (y[i] - mean_y);
    variance += (x[i] - mean_x) * (x[i] - mean_x);
  }
  return covariance / variance;
}

double growth_exponent(std::span<const LatencyRow> rows) {
  std::vector<double> log_points;
  std::vector<double> log_seconds;
  for (const LatencyRow& row : rows) {
    if (row.points < kFittedFrom || row.points > kFittedTo) continue;
    log_points.push_back(std::log(row.points));
    log_seconds.push_back(std::log(row.amortised));
  }
  return slope(log_points, log_seconds);
}

}  // namespace

LatencyWindows latency_windows(const learners::RefitOptions& refit, int points, int asks) {
  LatencyWindows windows;
  int longest = longest_window(points);
  const double due_after = refit.growth * points;
  if (refit.growth > 0.0 && points < refit.after) {
    longest = std::min(longest, refit.after - points);
  } else if (due_after > 1.0) {
    // A refit is due at points + ceil(growth * points). The window ends before it.
    const double between = std::ceil(due_after) - 1.0;
    longest = static_cast<int>(std::min<double>(longest, between));
    windows.refit_share = 1.0 / due_after;
  }
  windows.runs = (asks + longest - 1) / longest;
  windows.rounds = (asks + windows.runs - 1) / windows.runs;
  return windows;
}

LatencyQuantiles latency_quantiles(std::span<const double> seconds) {
  const auto quantile = [&](double p) { return numeric::linear_quantile(seconds, p).of(seconds); };
  return {.median = quantile(0.5), .p90 = quantile(0.9), .p99 = quantile(0.99)};
}

double amortised_ask(std::span<const double> asks, double refit, double refit_share) {
  if (refit_share >= 1.0) return experiment::mean(asks);
  return (1.0 - refit_share) * experiment::mean(asks) + refit_share * refit;
}

std::vector<LatencyGrowth> latency_growth(std::span<const LatencyRow> rows) {
  std::vector<LatencyGrowth> growth;
  for (auto first = rows.begin(); first != rows.end();) {
    const int dimension = first->dimension;
    const auto last = std::find_if(
        first, rows.end(), [&](const LatencyRow& row) { return row.dimension != dimension; });
    growth.push_back({.dimension = dimension, .exponent = growth_exponent({first, last})});
    first = last;
  }
  return growth;
}

}  // namespace oscbo::paper

namespace oscbo {

std::string readable_time(double seconds) {
  // The limits are half a unit of the third digit below 1000, so that nothing is rounded to
  // "1e+03".
  if (seconds < 0.9995e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  if (seconds < 0.9995) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return seconds < 999.5 ? fmt::format("{:.3g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

}  // namespace oscbo
