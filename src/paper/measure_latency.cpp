#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "experiment/statistics.hpp"
#include "experiment/variant.hpp"
#include "learners/learner_options.hpp"
#include "numeric/parallel.hpp"
#include "numeric/random_stream.hpp"
#include "oscbo/error.hpp"
#include "oscbo/latency.hpp"
#include "oscbo/optimizer.hpp"
#include "oscbo/problem.hpp"
#include "oscbo/weights.hpp"
#include "paper/latency_statistics.hpp"

namespace oscbo {
namespace {

/// seconds_taken_by calls `work` and returns the seconds that it took.
template <typename Work>
double seconds_taken_by(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<int> each_once(std::vector<int> numbers, const char* field) {
  if (numbers.empty()) {
    throw Error(ErrorCode::invalid_value, field, "at least one number is needed");
  }
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  return numbers;
}

void require_at_least(int least, int value, const char* field, std::string_view reason = {}) {
  if (value >= least) return;
  throw Error(ErrorCode::invalid_value, field,
              fmt::format("{} is not accepted; it must be at least {}{}", value, least, reason));
}

/// measured_config returns the method with its settings. The budget comes from these settings,
/// because the measurement has no number of rounds of its own.
Config measured_config(const LatencyPlan& plan) {
  const experiment::Variant variant = experiment::parse_variant(plan.method);
  experiment::require_distinct_settings(variant);
  Config config = method_config(variant.method);
  for (const std::string& setting : plan.settings) set_option(config, setting);
  for (const std::string& setting : variant.settings) set_option(config, setting);
  validate(config);
  load_weights(config);
  return config;
}

/// informed_optimizer returns an optimizer that has been told `points` values of `problem` at
/// random points.
Optimizer informed_optimizer(const Problem& problem, const Config& config, int points,
                             std::uint64_t seed) {
  Optimizer optimizer(problem.space, config, seed);
  const std::vector<Bounds> bounds = problem.space.bounds();
  numeric::RandomStream stream(seed, numeric::Purpose::simulated_function);
  std::vector<double> x(bounds.size());
  for (int i = 0; i < points; ++i) {
    std::ranges::transform(bounds, x.begin(), [&](const Bounds& side) {
      return side.lower + (side.upper - side.lower) * stream.uniform();
    });
    optimizer.tell(x, problem.value(x));
  }
  return optimizer;
}

struct RoundTimes {
  double ask = 0.0;
  double tell = 0.0;
};

RoundTimes timed_round(Optimizer& optimizer, const Problem& problem) {
  RoundTimes times;
  Suggestion next;
  times.ask = seconds_taken_by([&] { next = optimizer.ask(); });
  const double y = problem.value(next.x);
  times.tell = seconds_taken_by([&] { optimizer.tell(next.trial, y); });
  return times;
}

class LatencyMeasurement {
 public:
  LatencyMeasurement(const LatencyPlan& plan,
                     const std::function<void(const LatencyProgress&)>& progress)
      : plan_(plan),
        progress_(progress),
        config_(measured_config(plan)),
        points_(each_once(plan.points, "--points")) {
    require_at_least(1, plan.asks, "--asks");
    require_at_least(config_.initial_points, points_.front(), "--points",
                     fmt::format(", the initial design of {} (init.points)", plan.method));
    for (const int dimension : each_once(plan.dimensions, "--dimensions")) {
      require_at_least(1, dimension, "--dimensions");
      problems_.push_back(make_problem(fmt::format("levy{}", dimension)));
      // The constructor refuses settings that are wrong only in combination.
      const Optimizer optimizer(problems_.back().space, config_);
    }
  }

  [[nodiscard]] LatencyReport measure() const {
    LatencyReport report{.method = plan_.method, .threads = threads(), .rows = {}, .growth = {}};
    for (const Problem& problem : problems_) {
      for (const int points : points_) {
        const LatencyProgress at{.dimension = static_cast<int>(problem.space.dimension()),
                                 .points = points,
                                 .row = static_cast<int>(report.rows.size()) + 1,
                                 .rows = static_cast<int>(problems_.size() * points_.size())};
        report.rows.push_back(measure_row(problem, at));
      }
    }
    report.growth = paper::latency_growth(report.rows);
    return report;
  }

 private:
  [[nodiscard]] int threads() const {
    const numeric::ThreadLimit limit(config_.threads);
    return numeric::ThreadLimit::current();
  }

  [[nodiscard]] LatencyRow measure_row(const Problem& problem, const LatencyProgress& at) const {
    const paper::LatencyWindows windows =
        paper::latency_windows(config_.get<learners::RefitOptions>(), at.points, plan_.asks);
    std::vector<double> refits;
    std::vector<double> asks;
    std::vector<double> tells;
    std::size_t model_bytes = 0;
    for (int run = 0; run < windows.runs; ++run) {
      report_progress(at);
      Optimizer optimizer = informed_optimizer(problem, config_, at.points,
                                               plan_.seed + static_cast<std::uint64_t>(run));
      refits.push_back(timed_round(optimizer, problem).ask);
      for (int round = 0; round < windows.rounds; ++round) {
        report_progress(at);
        const RoundTimes times = timed_round(optimizer, problem);
        asks.push_back(times.ask);
        tells.push_back(times.tell);
      }
      model_bytes = std::max(model_bytes, optimizer.model_bytes());
    }
    const double refit = experiment::mean(refits);
    return {.dimension = at.dimension,
            .points = at.points,
            .asks = static_cast<int>(asks.size()),
            .ask = paper::latency_quantiles(asks),
            .refit = refit,
            .refit_share = windows.refit_share,
            .amortised = paper::amortised_ask(asks, refit, windows.refit_share),
            .tell = paper::latency_quantiles(tells),
            .model_bytes = model_bytes};
  }

  void report_progress(const LatencyProgress& at) const {
    if (progress_) progress_(at);
  }

  const LatencyPlan& plan_;
  const std::function<void(const LatencyProgress&)>& progress_;
  Config config_;
  std::vector<int> points_;
  std::vector<Problem> problems_;
};

}  // namespace

LatencyReport measure_latency(const LatencyPlan& plan,
                              const std::function<void(const LatencyProgress&)>& progress) {
  return LatencyMeasurement(plan, progress).measure();
}

}  // namespace oscbo
