#include "report/learning_curves.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "experiment/results.hpp"
#include "experiment/statistics.hpp"

namespace oscbo::report {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// next_cell removes the next cell from the front of a line and returns it.
std::string_view next_cell(std::string_view& line, char separator = ',') {
  const std::size_t end = line.find(separator);
  const std::string_view cell = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return cell;
}

double cell_number(std::string_view cell) {
  double value = kNoNumber;
  std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return value;
}

double next_number(std::string_view& line) { return cell_number(next_cell(line)); }

/// joined_mean returns the geometric mean of numbers joined by '|'.
double joined_mean(std::string_view cell) {
  std::vector<double> values;
  while (!cell.empty()) values.push_back(cell_number(next_cell(cell, '|')));
  return experiment::geometric_mean(values);
}

/// The cells of one evaluation that the curves need.
struct Step {
  int step = 0;
  double simple_regret = 0.0;
  double cumulative_regret = 0.0;
  double width = 0.0;    // NaN if no model chose the point
  double covered = 0.0;  // NaN if no model chose the point or the evaluation failed
  double calibration_loss = 0.0;
  double lengthscale = 0.0;
  double seconds = 0.0;
};

/// parse_step reads the columns of kRunsHeader and kTimingsHeader, in this order.
Step parse_step(const experiment::PartLine& line) {
  Step result;
  std::string_view cells = line.run;
  result.step = static_cast<int>(next_number(cells));
  for (int skipped = 0; skipped < 2; ++skipped) next_cell(cells);  // y, best
  result.simple_regret = next_number(cells);
  result.cumulative_regret = next_number(cells);
  for (int skipped = 0; skipped < 2; ++skipped) next_cell(cells);  // mean, sd
  result.width = next_number(cells);
  result.covered = next_number(cells);
  next_cell(cells);  // sharpness_loss
  result.calibration_loss = next_number(cells);
  for (int skipped = 0; skipped < 2; ++skipped) next_cell(cells);  // violation, multiplier
  result.lengthscale = joined_mean(next_cell(cells));

  std::string_view timing = line.timing;
  next_cell(timing);  // step
  const double fit_seconds = next_number(timing);
  result.seconds = fit_seconds + next_number(timing);
  return result;
}

/// The mean and the squared deviations of a stream of values (Welford).
class Moments {
 public:
  void add(double value) {
    ++count_;
    const double deviation = value - mean_;
    mean_ += deviation / static_cast<double>(count_);
    squares_ += deviation * (value - mean_);
  }

  [[nodiscard]] double mean() const { return mean_; }

  [[nodiscard]] double error() const {
    const auto count = static_cast<double>(count_);
    return count_ < 2 ? kNoNumber : std::sqrt(squares_ / (count - 1.0) / count);
  }

 private:
  std::size_t count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;
};

/// Sums along one run.
struct RunSoFar {
  double seconds = 0.0;
  double predictions = 0.0;
  double covered = 0.0;
  double width = 0.0;
  double positive_violation = 0.0;
  double lengthscale = kNoNumber;  // the last one
  double lengthscale_path = 0.0;
};

/// Builds the curves of one (task, method).
class CurveBuilder {
 public:
  void add(const Step& step, RunSoFar& run) {
    run.seconds += step.seconds;
    put(Quantity::simple_regret, step.step, step.simple_regret);
    put(Quantity::cumulative_regret, step.step, step.cumulative_regret);
    put(Quantity::seconds, step.step, run.seconds);
    if (std::isnan(step.covered)) return;

    run.predictions += 1.0;
    run.covered += step.covered;
    run.width += step.width;
    run.positive_violation += std::max(step.calibration_loss, 0.0);
    put(Quantity::coverage, step.step, run.covered / run.predictions);
    put(Quantity::width, step.step, step.width);
    put(Quantity::mean_width, step.step, run.width / run.predictions);
    put(Quantity::positive_violation, step.step, run.positive_violation);
    put(Quantity::lengthscale, step.step, step.lengthscale);

    if (!std::isnan(run.lengthscale)) {
      run.lengthscale_path += std::abs(std::log(step.lengthscale / run.lengthscale));
    }
    run.lengthscale = step.lengthscale;
    put(Quantity::lengthscale_path, step.step, run.lengthscale_path);
  }

  [[nodiscard]] std::array<Curve, kQuantities> curves() const {
    std::array<Curve, kQuantities> result;
    for (std::size_t i = 0; i < kQuantities; ++i) {
      for (const auto& [step, moments] : moments_[i]) {
        result[i].steps.push_back(step);
        result[i].mean.push_back(moments.mean());
        result[i].error.push_back(moments.error());
      }
    }
    return result;
  }

 private:
  void put(Quantity quantity, int step, double value) {
    moments_[static_cast<std::size_t>(quantity)][step].add(value);
  }

  std::array<std::map<int, Moments>, kQuantities> moments_;
};

/// read_steps returns the totals of a part and fills `steps`. The steps count only if there are
/// totals, because a part can turn out to be damaged after some steps have been read.
std::optional<experiment::RunTotals> read_steps(const std::filesystem::path& part,
                                                std::vector<Step>& steps) {
  steps.clear();
  return experiment::read_part(
      part, [&](const experiment::PartLine& line) { steps.push_back(parse_step(line)); });
}

using Options = std::map<std::string, std::string>;

/// recorded returns the recorded value of an option, or an empty string if there is none.
std::string recorded(const Options& options, const std::string& name) {
  const auto option = options.find(name);
  return option == options.end() ? std::string{} : option->second;
}

/// constant_beta returns beta if all intervals of the method are mean +- sqrt(beta) sd, otherwise
/// NaN. Some rules have their own multipliers, but these enter the acquisition, not the intervals.
double constant_beta(const experiment::PlanRecord& record, const std::string& method) {
  const auto options = record.options.find(method);
  if (options == record.options.end()) return kNoNumber;
  return recorded(options->second, "width") == "constant"
             ? cell_number(recorded(options->second, "beta"))
             : kNoNumber;
}

}  // namespace

const RunGroup* RunGroups::find(const std::string& task, const std::string& method) const {
  const auto group = std::ranges::find_if(groups, [&](const RunGroup& candidate) {
    return candidate.task == task && candidate.method == method;
  });
  return group == groups.end() ? nullptr : &*group;
}

double common_nominal_coverage(const experiment::PlanRecord& record,
                               std::span<const std::string> methods) {
  double common = kNoNumber;
  for (const std::string& method : methods) {
    const double beta = constant_beta(record, method);
    if (std::isnan(beta) || (!std::isnan(common) && beta != common)) return kNoNumber;
    common = beta;
  }
  return experiment::nominal_coverage(common);
}

RunGroups read_learning_curves(const std::filesystem::path& directory, int seeds) {
  const experiment::ResultDirectory results{directory};
  const experiment::PlanRecord record = experiment::read_record(results);
  RunGroups all{.tasks = record.tasks,
                .methods = record.methods,
                .groups = {},
                .steps = record.steps,
                .seeds = record.seeds,
                .nominal_coverage = common_nominal_coverage(record, record.methods)};
  std::vector<Step> steps;
  for (const std::string& task : record.tasks) {
    for (const std::string& method : record.methods) {
      RunGroup group{.task = task, .method = method};
      CurveBuilder builder;
      for (int seed = 0; seed < std::min(seeds, record.seeds); ++seed) {
        const std::optional<experiment::RunTotals> totals =
            read_steps(results.part({.task = task, .method = method, .seed = seed}), steps);
        if (!totals) continue;
        RunSoFar run;
        for (const Step& step : steps) builder.add(step, run);
        group.runs.push_back(
            {.seed = seed, .totals = *totals, .lengthscale_path = run.lengthscale_path});
      }
      if (group.runs.empty()) continue;
      group.curves = builder.curves();
      all.groups.push_back(std::move(group));
    }
  }
  return all;
}

}  // namespace oscbo::report
