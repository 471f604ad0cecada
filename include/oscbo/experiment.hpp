// File: oscbo/experiment.hpp
//
// Grids of (task, method, seed), run in parallel worker threads, resumable after any kill. The
// files it leaves are described in docs/files.md.
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
#include "oscbo/config.hpp"
#include "oscbo/optimizer.hpp"
#include "oscbo/problem.hpp"

namespace oscbo {

struct ExperimentPlan {
  std::vector<std::string> tasks = {};
  std::vector<std::string> methods = {};  // or variants, "oscbo+kernel.nu=0.5+fit.start=cold"
  int seeds = 20;                         // seeds 0 .. seeds-1
  int steps = 100;  // rounds after the initial design; becomes the budget of every method
  int jobs = 1;     // worker threads; never changes a result
  std::filesystem::path out = {};
  std::filesystem::path data = {};         // folder of the tables that tasks are made from
  std::vector<std::string> settings = {};  // "name=value", applied to every method
};

struct ExperimentProgress {
  std::size_t done = 0;       // runs finished, including those found finished
  std::size_t resumed = 0;    // of these, found finished from an earlier invocation
  std::size_t total = 0;      // runs of this invocation
  double seconds = 0.0;       // since the start of this invocation
  double seconds_left = 0.0;  // estimate; 0 while unknown
};

/// Means over seeds and their standard errors, for one (task, method). NaN stands for what is not
/// defined: standard errors of a single seed, coverage and width of a method without a model.
struct SummaryRow {
  std::string task;
  std::string method;
  int seeds = 0;
  double simple_regret = 0.0;
  double simple_regret_se = 0.0;
  double cumulative_regret = 0.0;
  double cumulative_regret_se = 0.0;
  double coverage = 0.0;     // fraction of model-based points inside their interval
  double mean_width = 0.0;   // of these intervals, in the task's units
  double simple_rank = 0.0;  // within the task, 1 = lowest mean; ties share the mean rank
  double cumulative_rank = 0.0;
};

/// run_experiment runs what is missing of `plan`, assembles the result files from every finished
/// run in `plan.out` and returns the summary of these. `progress` is called once at the start and
/// then from worker threads, one call at a time. When `stop` becomes true the runs in progress are
/// abandoned and Error (interrupted) is thrown; finished runs are kept.
///
/// Nothing is written before all names and settings are accepted. Throws Error (conflict) when
/// `plan.out` holds runs made with other settings or tables or is in use by another process, and
/// Error (io) when a file cannot be read or written.
std::vector<SummaryRow> run_experiment(
    const ExperimentPlan& plan, const std::function<void(const ExperimentProgress&)>& progress = {},
    const std::atomic<bool>* stop = nullptr);

/// The calibration of one run in a few figures, or their means over runs; see CalibrationReport.
/// All but the number of predictions are NaN when there are none.
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

/// read_calibration returns a row for every (task, method) of `directory` that has finished runs,
/// in the order of the result files. It only reads, and may do so while an experiment is in
/// progress there. Throws Error (io) when `directory` cannot be read, and Error (conflict) when it
/// is not one that run_experiment made.
[[nodiscard]] std::vector<CalibrationRow> read_calibration(const std::filesystem::path& directory);

/// One evaluation of a run, as a row of runs.csv.
struct RunRow {
  int step = 0;  // <= 0 for the initial design, then 1 .. T
  std::vector<double> x = {};
  std::vector<std::string> names = {};  // of the values that have one, otherwise empty
  double y = 0.0;     // as the optimizer was told, with noise when there is any; NaN: it failed
  double best = 0.0;  // noiseless value of the recommended point; Problem::worst, as in regrets,
                      // where that is not acceptable
  int best_step = 0;  // the step at which that point was evaluated
  double simple_regret = 0.0;      // of the recommended point
  double cumulative_regret = 0.0;  // of the noiseless values at steps 1, 2, ...
  std::optional<Prediction> prediction = {};
  std::optional<Feedback> feedback = {};
  double fit_seconds = 0.0;
  double acquisition_seconds = 0.0;
};

/// sweep_methods returns the variants of `methods` in which every "name=value,value" of `sweeps`
/// takes each of its values: {"oscbo"} and {"beta=1,2"} give {"oscbo+beta=1", "oscbo+beta=2"}.
/// Throws Error (invalid_value) for a sweep of another form.
[[nodiscard]] std::vector<std::string> sweep_methods(std::vector<std::string> methods,
                                                     const std::vector<std::string>& sweeps);

/// run_config returns the configuration of one run: a method or variant, its budget and
/// "name=value" settings, over which those of the variant prevail. Throws Error (invalid_value,
/// unknown_name) when a setting is not accepted, contradicts another one or contradicts `steps`.
[[nodiscard]] Config run_config(const std::string& method, int steps,
                                const std::vector<std::string>& settings);

/// run_once optimises `problem` for the budget of `config`, calling `on_row` after every
/// evaluation; a false answer ends the run. Returns whether the run was completed, after showing
/// `on_end` the optimizer.
bool run_once(const Problem& problem, const Config& config, std::uint64_t seed,
              const std::function<bool(const RunRow&)>& on_row,
              const std::function<void(const Optimizer&)>& on_end = {});

/// How often observations fell inside the interval that was predicted for them.
struct Coverage {
  int covered = 0;
  int predicted = 0;   // rounds that had a prediction
  double lower = 0.0;  // Wilson 95 % interval of the fraction; [0, 1] when predicted == 0
  double upper = 1.0;
  double nominal = 0.0;     // what a Gaussian would give: mean of P(|Z| <= sqrt(beta)), or NaN
  double mean_width = 0.0;  // NaN when predicted == 0
};

/// measure_coverage counts the hits among the model-based rows of a run.
[[nodiscard]] Coverage measure_coverage(std::span<const RunRow> rows);

/// calibration measures the model-based rows of a run.
[[nodiscard]] CalibrationReport calibration(std::span<const RunRow> rows);

}  // namespace oscbo
