#include "experiment/paired_runs.hpp"

#include <algorithm>

namespace oscbo::experiment {

std::vector<double> run_values(const RunGroup& group, const RunMeasure& measure) {
  std::vector<double> values;
  values.reserve(group.runs.size());
  for (const RunOutcome& run : group.runs) values.push_back(measure(run.totals));
  return values;
}

PairedValues paired_values(const RunGroups& groups, const std::string& task,
                           const std::string& method, const std::string& reference,
                           const RunMeasure& measure) {
  const RunGroup* compared = groups.find(task, method);
  const RunGroup* compared_with = groups.find(task, reference);
  PairedValues values;
  if (compared == nullptr || compared_with == nullptr) return values;
  for (const RunOutcome& run : compared->runs) {
    const auto partner = std::ranges::find(compared_with->runs, run.seed, &RunOutcome::seed);
    if (partner == compared_with->runs.end()) continue;
    values.method.push_back(measure(run.totals));
    values.reference.push_back(measure(partner->totals));
  }
  return values;
}

std::optional<PairedComparison> compare_on_task(const RunGroups& groups, const std::string& task,
                                                const std::string& method,
                                                const std::string& reference,
                                                const RunMeasure& measure) {
  const PairedValues values = paired_values(groups, task, method, reference, measure);
  if (values.method.empty()) return std::nullopt;
  return compare_paired(values.method, values.reference);
}

}  // namespace oscbo::experiment
