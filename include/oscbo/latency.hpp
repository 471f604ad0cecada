// File: oscbo/latency.hpp
//
// Measures the latency of an optimizer: the time of ask and tell against the number of
// observations.
//
//   const oscbo::LatencyReport report = oscbo::measure_latency({.points = {100, 1000}});
//   std::cout << oscbo::readable_time(report.rows.front().ask.median);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace oscbo {

struct LatencyPlan {
  std::string method = "auto";             // may be a variant, "oscbo+learner.solver=exact"
  std::vector<std::string> settings = {};  // "name=value"; those of a variant take precedence
  std::vector<int> points = {10, 30, 100, 300, 1000, 3000, 10000};
  std::vector<int> dimensions = {2, 6, 20};
  int asks = 30;  // minimum number of asks to measure for each row
  std::uint64_t seed = 0;
};

/// In seconds.
struct LatencyQuantiles {
  double median = 0.0;
  double p90 = 0.0;
  double p99 = 0.0;
};

/// Times of optimizers that have been told `points` observations, in seconds.
struct LatencyRow {
  int dimension = 0;
  int points = 0;
  int asks = 0;            // number of measured asks
  LatencyQuantiles ask;    // asks after an optimizer's first one, before the next scheduled refit
  double refit = 0.0;      // mean of the first asks, which learn the hyperparameters from scratch
  double refit_share = 1;  // fraction of the asks in a long run that are refits
  double amortised = 0.0;  // mean time of an ask in a long run, including refits
  LatencyQuantiles tell;
  std::size_t model_bytes = 0;  // memory of the model
};

/// The growth exponent: the p with amortised ask ~ n^p over 300 <= n <= 3000. NaN for fewer than
/// two such n.
struct LatencyGrowth {
  int dimension = 0;
  double exponent = 0.0;
};

struct LatencyReport {
  std::string method;
  int threads = 0;                    // the maximum number of threads of an operation
  std::vector<LatencyRow> rows;       // by dimension, then by points
  std::vector<LatencyGrowth> growth;  // one for each dimension
};

/// The measurement that comes next.
struct LatencyProgress {
  int dimension = 0;
  int points = 0;
  int row = 0;  // 1-based row, out of `rows`
  int rows = 0;
};

/// measure_latency tells an optimizer `points` random observations of levy<dimension>. Then it
/// alternates ask and tell and times both; docs/performance.md explains how the rows are computed.
/// Duplicates in `points` and `dimensions` count once. `progress` is called before every ask; it
/// can end the measurement by throwing.
///
/// All input is checked before anything is measured. Throws Error (invalid_value) if a number is
/// not positive, or if an entry of `points` is smaller than the initial design of the method. Also
/// throws the errors of run_config.
[[nodiscard]] LatencyReport measure_latency(
    const LatencyPlan& plan, const std::function<void(const LatencyProgress&)>& progress = {});

/// latency_svg plots ask and tell against the number of observations on two logarithmic axes.
[[nodiscard]] std::string latency_svg(const LatencyReport& report);

/// readable_time formats seconds with three digits and a unit: "12.3 us", "1.5 ms", "207 s".
[[nodiscard]] std::string readable_time(double seconds);

}  // namespace oscbo
