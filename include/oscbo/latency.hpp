// File: oscbo/latency.hpp
//
// How long one waits for an optimizer: the time of ask and tell against the number of observations.
//
//   const oscbo::LatencyReport report = oscbo::measure_latency({.points = {100, 1000}});
//   std::cout << oscbo::readable_time(report.rows.front().ask.median);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "oscbo/config.hpp"

namespace oscbo {

struct LatencyPlan {
  std::string method = "auto";             // or a variant, "oscbo+learner.solver=exact"
  std::vector<std::string> settings = {};  // "name=value"; those of a variant prevail
  std::vector<int> points = {10, 30, 100, 300, 1000, 3000, 10000};
  std::vector<int> dimensions = {2, 6, 20};
  int asks = 30;  // to be measured for each row, at least
  std::uint64_t seed = 0;
};

/// In seconds.
struct LatencyQuantiles {
  double median = 0.0;
  double p90 = 0.0;
  double p99 = 0.0;
};

/// The rounds of an optimizer that knows `points` observations. All times are in seconds.
struct LatencyRow {
  int dimension = 0;
  int points = 0;
  int asks = 0;            // measured
  LatencyQuantiles ask;    // of asks that follow another one, in between two scheduled refits
  double refit = 0.0;      // mean of first asks, which learn the hyperparameters from scratch
  double refit_share = 1;  // of the asks, those that learn them anew
  double amortised = 0.0;  // mean ask of a long run, refits included
  LatencyQuantiles tell;
  std::size_t model_bytes = 0;  // memory of the model
};

/// The exponent a of amortised ask ~ n^a over 300 <= n <= 3000; NaN for fewer than two such n.
struct LatencyGrowth {
  int dimension = 0;
  double exponent = 0.0;
};

struct LatencyReport {
  std::string method;
  int threads = 0;                    // that an operation may use
  std::vector<LatencyRow> rows;       // by dimension, then by points
  std::vector<LatencyGrowth> growth;  // one for each dimension
};

/// What is measured next.
struct LatencyProgress {
  int dimension = 0;
  int points = 0;
  int row = 0;  // of `rows`, from 1
  int rows = 0;
};

/// measure_latency tells an optimizer `points` random observations of levy<dimension>, lets it ask
/// and be told round after round, and times both; docs/performance.md says how a row is made of
/// that. Numbers given twice count once. `progress` is called before every ask, and ends the
/// measurement by throwing.
///
/// Nothing is measured before all is accepted. Throws Error (invalid_value, unknown_name) for
/// numbers that are not positive, for points that are fewer than the initial design of the method,
/// and as run_config does.
[[nodiscard]] LatencyReport measure_latency(
    const LatencyPlan& plan, const std::function<void(const LatencyProgress&)>& progress = {});

/// latency_svg draws ask and tell against the number of observations, both axes logarithmic.
[[nodiscard]] std::string latency_svg(const LatencyReport& report);

/// readable_time returns seconds with three digits and a unit: "12.3 us", "1.5 ms", "207 s".
[[nodiscard]] std::string readable_time(double seconds);

}  // namespace oscbo
