// File: oscbo/experiment.hpp
//
// Runs grids of (task, method, seed) in parallel worker threads. A killed grid can be resumed.
// docs/files.md describes the result files.
//
//   oscbo::ExperimentPlan plan{.tasks = {"levy5"}, .methods = {"oscbo"}, .out = "results"};
//   const std::vector<oscbo::SummaryRow> rows = oscbo::run_experiment(plan);
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oscbo/calibration.hpp"
#include "oscbo/optimizer.hpp"
#include "oscbo/options.hpp"
#include "oscbo/problem.hpp"

namespace oscbo {

struct ExperimentPlan {
  std::vector<std::string> tasks = {};
  std::vector<std::string> methods = {};  // or variants, "oscbo+kernel.nu=0.5+fit.start=cold"
  int seeds = 20;                         // seeds 0 .. seeds-1
  int steps = 100;  // rounds after the initial design; becomes the budget of every method
  int jobs = 1;     // worker threads; never changes a result
  std::filesystem::path out = {};
  std::filesystem::path data = {};         // the folder with the tables of the tasks
  std::vector<std::string> settings = {};  // "name=value", applied to every method
};

struct ExperimentProgress {
  std::size_t done = 0;       // finished runs, including those of earlier invocations
  std::size_t resumed = 0;    // finished runs of earlier invocations
  std::size_t total = 0;      // runs of the plan, and damaged older runs that have to be repeated
  double seconds = 0.0;       // since the start of this invocation
  double seconds_left = 0.0;  // estimate; 0 while unknown
};

/// Means over seeds and their standard errors, for one (task, method). Undefined values are NaN:
/// the standard errors of a single seed, and the coverage and width of a method without a model.
struct SummaryRow {
  std::string task;
  std::string method;
  int seeds = 0;
  double simple_regret = 0.0;
  double simple_regret_se = 0.0;
  double cumulative_regret = 0.0;
  double cumulative_regret_se = 0.0;
  double coverage = 0.0;     // of the predicted observations, the fraction inside their intervals
  double mean_width = 0.0;   // mean width of these intervals, in the units of the task
  double simple_rank = 0.0;  // within the task, 1 = lowest mean; ties share the mean rank
  double cumulative_rank = 0.0;
};

/// run_experiment runs the missing runs of `plan`, assembles the result files from all finished
/// runs in `plan.out`, and returns their summary. `progress` is called once at the start and then
/// from worker threads, one call at a time. When `stop` becomes true, run_experiment abandons the
/// runs in progress, keeps the finished runs and throws Error (interrupted).
///
/// Nothing is written before all names and settings are accepted. Throws Error (conflict) if
/// `plan.out` holds runs made with other settings or tables, or if another process uses it. Throws
/// Error (io) if a file cannot be read or written.
std::vector<SummaryRow> run_experiment(
    const ExperimentPlan& plan, const std::function<void(const ExperimentProgress&)>& progress = {},
    const std::atomic<bool>* stop = nullptr);

/// The calibration of one run, or the means over several runs; see CalibrationReport. Without
/// predictions, everything except the number of predictions is NaN.
struct CalibrationFigures {
  double predictions = 0.0;
  std::array<double, kCoverageLevels.size()> coverage = {};  // measured at each of kCoverageLevels
  double pit_distance = 0.0;
  double mean_width = 0.0;
  double log_score = 0.0;
  double crps = 0.0;
};

/// Means over the finished seeds of one (task, method).
struct CalibrationRow {
  std::string task;
  std::string method;
  int seeds = 0;
  CalibrationFigures mean = {};
};

/// read_calibration returns one row for each (task, method) of `directory` that has finished runs,
/// in the order of the result files. It only reads, so it may run during an experiment. Throws
/// Error (io) if `directory` cannot be read, and Error (conflict) if run_experiment did not create
/// it.
[[nodiscard]] std::vector<CalibrationRow> read_calibration(const std::filesystem::path& directory);

/// One evaluation of a run: one row of runs.csv.
struct RunRow {
  int step = 0;  // <= 0 for the initial design, then 1 .. T
  std::vector<double> x = {};
  std::vector<std::string> names = {};  // one per entry of x: the value's name, "" if it has none
  double y = 0.0;  // the value told to the optimizer, including noise; NaN if the evaluation failed
  double best = 0.0;               // noiseless value of the recommended point. Here and in the
                                   // regrets, an evaluation that failed or is not acceptable
                                   // counts as Problem::worst
  int best_step = 0;               // the step at which the recommended point was evaluated
  double simple_regret = 0.0;      // regret of the recommended point
  double cumulative_regret = 0.0;  // total regret of the noiseless values at steps 1, 2, ...
  std::optional<Prediction> prediction = {};
  std::optional<Feedback> feedback = {};
  double fit_seconds = 0.0;
  double acquisition_seconds = 0.0;
};

/// sweep_methods returns the variants of `methods` in which every "name=value,value" of `sweeps`
/// takes each of its values: {"oscbo"} and {"beta=1,2"} give {"oscbo+beta=1", "oscbo+beta=2"}.
/// Throws Error (invalid_value) if a sweep does not have this form.
[[nodiscard]] std::vector<std::string> sweep_methods(std::vector<std::string> methods,
                                                     const std::vector<std::string>& sweeps);

/// The configuration of one run: the configuration of its optimizer, and the noise that is added to
/// the values of the task before they are told to the optimizer.
struct RunConfig {
  Config optimizer;
  double observation_noise_sd = 0.0;  // the setting obs.noise_sd, in the task's units
};

/// run_config makes the configuration of one run from a method or variant, a budget of `steps`
/// and "name=value" settings. The settings of the variant take precedence. Throws Error
/// (invalid_value, unknown_name) if a setting is not accepted or contradicts another setting or
/// `steps`.
[[nodiscard]] RunConfig run_config(const std::string& method, int steps,
                                   const std::vector<std::string>& settings);

/// run_options lists every setting of a run: the options of the optimizer, and obs.noise_sd. Their
/// OptionInfo::default_value is the value in `config`.
[[nodiscard]] std::vector<OptionInfo> run_options(const RunConfig& config);

/// run_once optimises `problem` for the budget of `config` and calls `on_row` after every
/// evaluation. The run ends early if `on_row` returns false. After a completed run, `on_end` gets
/// the optimizer. Returns whether the run was completed.
bool run_once(const Problem& problem, const RunConfig& config, std::uint64_t seed,
              const std::function<bool(const RunRow&)>& on_row,
              const std::function<void(const Optimizer&)>& on_end = {});

/// How often the observations were inside the intervals predicted for them.
struct Coverage {
  int covered = 0;
  int predicted = 0;   // observations at points that had a prediction
  double lower = 0.0;  // Wilson 95 % interval of the fraction; [0, 1] when predicted == 0
  double upper = 1.0;
  double nominal = 0.0;     // mean of P(|Z| <= sqrt(beta)), Z normal; NaN when predicted == 0
  double mean_width = 0.0;  // NaN when predicted == 0
};

/// measure_coverage counts how many observations are inside their intervals. Rows without a
/// prediction or feedback do not count.
[[nodiscard]] Coverage measure_coverage(std::span<const RunRow> rows);

/// calibration measures the calibration of the predictions of a run. It skips failed evaluations.
[[nodiscard]] CalibrationReport calibration(std::span<const RunRow> rows);

}  // namespace oscbo
