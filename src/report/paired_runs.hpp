// The results of runs, and pairs of runs of two methods. Runs with the same seed start from the
// same points, so the effect of these points cancels in the difference.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/comparison.hpp"
#include "report/learning_curves.hpp"

namespace oscbo::report {

/// A quantity measured at the end of a run.
using RunMeasure = std::function<double(const experiment::RunTotals&)>;

/// run_values returns the measure of every run of `group`, seeds ascending.
[[nodiscard]] std::vector<double> run_values(const RunGroup& group, const RunMeasure& measure);

/// Two runs of one seed.
struct PairedOutcomes {
  const RunOutcome* method = nullptr;
  const RunOutcome* reference = nullptr;
};

/// paired_outcomes returns the runs of the seeds that both methods have finished, in ascending
/// order of seeds. The result points into `groups`, which must outlive it.
[[nodiscard]] std::vector<PairedOutcomes> paired_outcomes(const RunGroups& groups,
                                                          const std::string& task,
                                                          const std::string& method,
                                                          const std::string& reference);

/// The results of two methods for the seeds that both have finished.
struct PairedValues {
  std::vector<double> method = {};
  std::vector<double> reference = {};
};

/// paired_values returns the results of the seeds that both methods have finished.
[[nodiscard]] PairedValues paired_values(const RunGroups& groups, const std::string& task,
                                         const std::string& method, const std::string& reference,
                                         const RunMeasure& measure);

/// compare_on_task compares two methods on a task over their common seeds. It returns nothing if
/// there are no common seeds.
[[nodiscard]] std::optional<PairedComparison> compare_on_task(const RunGroups& groups,
                                                              const std::string& task,
                                                              const std::string& method,
                                                              const std::string& reference,
                                                              const RunMeasure& measure);

}  // namespace oscbo::report
