// The result files of a directory, assembled from its finished runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiment/part.hpp"
#include "experiment/plan.hpp"
#include "oscbo/experiment.hpp"

namespace oscbo::experiment {

struct RunKey {
  std::string task;
  std::string method;
  int seed = 0;
};

/// The paths of the files of an experiment.
struct ResultDirectory {
  std::filesystem::path root;

  [[nodiscard]] std::filesystem::path plan() const { return root / "plan.json"; }
  [[nodiscard]] std::filesystem::path parts() const { return root / "parts"; }
  [[nodiscard]] std::filesystem::path part(const RunKey& run) const {
    return parts() / part_name(run.task, run.method, run.seed);
  }
};

/// read_record returns the record of a directory without changing anything. Throws Error (io) if it
/// cannot be read, and Error (conflict) if run_experiment did not create it.
[[nodiscard]] PlanRecord read_record(const ResultDirectory& directory);

/// recorded_runs lists the grid of `record` in the order of the result files: task, method, seed.
[[nodiscard]] std::vector<RunKey> recorded_runs(const PlanRecord& record);

/// assemble_results writes runs.csv, timings.csv, queries.csv, calibration.csv, outcomes.csv and
/// summary.csv from the parts of `finished`, and returns the summary. `finished` contains some of
/// the recorded_runs, in the same order. The parts are streamed, so memory does not grow with the
/// number of rows.
std::vector<SummaryRow> assemble_results(const ResultDirectory& directory,
                                         const std::vector<RunKey>& finished);

}  // namespace oscbo::experiment
