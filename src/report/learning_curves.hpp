// The finished runs of a result directory, averaged over seeds at each step. The files of the runs
// are read one at a time, so memory grows with (tasks, methods, steps) and not with the number of
// runs.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "experiment/part.hpp"
#include "experiment/plan.hpp"

namespace oscbo::report {

/// The quantities recorded during a run. `coverage` and those after it start at step 1 and exist
/// only for methods with a model.
enum class Quantity {
  simple_regret,
  cumulative_regret,
  seconds,             // spent on suggestions so far
  coverage,            // fraction of observations inside their interval so far
  width,               // of the interval at this step
  mean_width,          // of the intervals so far
  positive_violation,  // sum so far of max(calibration loss, 0)
  lengthscale,         // geometric mean over parameters
  lengthscale_path,    // sum so far of |log lengthscale_t - log lengthscale_{t-1}|
};
inline constexpr std::size_t kQuantities = 9;

/// Mean over seeds and its standard error (NaN for one seed), by step.
struct Curve {
  std::vector<int> steps = {};
  std::vector<double> mean = {};
  std::vector<double> error = {};
};

/// The result of one run.
struct RunOutcome {
  int seed = 0;
  experiment::RunTotals totals = {};
  double lengthscale_path = 0.0;  // the last value of Quantity::lengthscale_path
};

/// The runs of one (task, method), seeds ascending.
struct RunGroup {
  std::string task;
  std::string method;
  std::vector<RunOutcome> runs = {};
  std::array<Curve, kQuantities> curves = {};

  [[nodiscard]] const Curve& operator[](Quantity quantity) const {
    return curves[static_cast<std::size_t>(quantity)];
  }
};

/// Groups ordered by task, then method, as in the result files.
struct RunGroups {
  std::vector<std::string> tasks = {};
  std::vector<std::string> methods = {};
  std::vector<RunGroup> groups = {};
  int steps = 0;
  int seeds = 0;  // planned; groups may have fewer runs while an experiment goes on
  /// P(|Z| <= sqrt(beta)) when all methods have one constant beta, NaN otherwise.
  double nominal_coverage = std::numeric_limits<double>::quiet_NaN();

  /// find returns the group of a task and a method, or nullptr if it has no finished run.
  [[nodiscard]] const RunGroup* find(const std::string& task, const std::string& method) const;
};

/// common_nominal_coverage returns P(|Z| <= sqrt(beta)) if `methods`, recorded in `record`, have
/// one constant beta, otherwise NaN.
[[nodiscard]] double common_nominal_coverage(const experiment::PlanRecord& record,
                                             std::span<const std::string> methods);

/// read_learning_curves reads the finished runs of `directory` with a seed below `seeds`. It may be
/// called during an experiment. Throws the errors of read_calibration (io, conflict).
[[nodiscard]] RunGroups read_learning_curves(const std::filesystem::path& directory,
                                             int seeds = std::numeric_limits<int>::max());

}  // namespace oscbo::report
