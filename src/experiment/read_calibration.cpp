#include <optional>

#include "experiment/calibration_figures.hpp"
#include "experiment/part.hpp"
#include "experiment/results.hpp"
#include "oscbo/experiment.hpp"

namespace oscbo {
namespace {

using experiment::ResultDirectory;
using experiment::RunKey;

/// The finished runs of one (task, method).
struct Group {
  std::string task;
  std::string method;
  std::vector<CalibrationFigures> runs;
};

}  // namespace

std::vector<CalibrationRow> read_calibration(const std::filesystem::path& directory) {
  const ResultDirectory results{directory};
  std::vector<Group> groups;
  for (const RunKey& run : experiment::recorded_runs(experiment::read_record(results))) {
    const std::optional<experiment::RunTotals> totals = experiment::read_part(results.part(run));
    if (!totals) continue;
    if (groups.empty() || groups.back().task != run.task || groups.back().method != run.method) {
      groups.push_back({.task = run.task, .method = run.method, .runs = {}});
    }
    groups.back().runs.push_back(totals->calibration);
  }

  std::vector<CalibrationRow> rows;
  rows.reserve(groups.size());
  for (const Group& group : groups) {
    rows.push_back({.task = group.task,
                    .method = group.method,
                    .seeds = static_cast<int>(group.runs.size()),
                    .mean = experiment::mean_figures(group.runs)});
  }
  return rows;
}

}  // namespace oscbo
