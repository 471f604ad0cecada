#include <cerrno>
#include <optional>

#include "experiment/calibration_figures.hpp"
#include "experiment/files.hpp"
#include "experiment/part.hpp"
#include "experiment/plan.hpp"
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

experiment::PlanRecord read_record(const ResultDirectory& directory) {
  if (!experiment::exists(directory.root)) {
    throw experiment::io_error(directory.root, "cannot be read", ENOENT);
  }
  const std::filesystem::path path = directory.plan();
  if (!experiment::exists(path)) {
    throw Error(ErrorCode::conflict, directory.root.string(),
                "has no plan.json: it is not a directory of results");
  }
  return experiment::parse_record(experiment::read_text(path), path);
}

}  // namespace

std::vector<CalibrationRow> read_calibration(const std::filesystem::path& directory) {
  const ResultDirectory results{directory};
  std::vector<Group> groups;
  for (const RunKey& run : experiment::recorded_runs(read_record(results))) {
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
