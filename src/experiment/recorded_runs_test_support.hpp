// Result directories with hand-written runs, for tests of the code that reads them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiment/files.hpp"
#include "experiment/part.hpp"
#include "experiment/plan.hpp"
#include "experiment/results.hpp"

namespace oscbo::experiment {

/// record_plan creates the directory of `plan` without any runs.
inline void record_plan(const ExperimentPlan& plan) {
  const ResultDirectory directory{plan.out};
  std::filesystem::create_directories(directory.parts());
  write_text(directory.plan(), to_json(make_record(plan)));
}

/// record_run adds a finished run.
inline void record_run(const std::filesystem::path& directory, const RunKey& run,
                       const std::vector<RunRow>& rows) {
  PartWriter writer(ResultDirectory{directory}.part(run));
  for (const RunRow& row : rows) writer.add(row);
  writer.finish();
}

}  // namespace oscbo::experiment
