#include "report/paired_runs.hpp"

#include <algorithm>

namespace oscbo::report {

std::vector<double> run_values(const RunGroup& group, const RunMeasure& measure) {
  std::vector<double> values;
  values.reserve(group.runs.size());
  for (const RunOutcome& run : group.runs) values.push_back(measure(run.totals));
  return values;
}

std::vector<PairedOutcomes> paired_outcomes(const RunGroups& groups, const std::string& task,
                                            const std::string& method,
                                            const std::string& reference) {
  const RunGroup* compared = groups.find(task, method);
  const RunGroup* compared_with = groups.find(task, reference);
  std::vector<PairedOutcomes> pairs;
  if (compared == nullptr || compared_with == nullptr) return pairs;
  for (const RunOutcome& run : compared->runs) {
    const auto partner = std::ranges::find(compared_with->runs, run.seed, &RunOutcome::seed);
    if (partner == compared_with->runs.end()) continue;
    pairs.push_back({.method = &run, .reference = &*partner});
  }
  return pairs;
}

PairedValues paired_values(const RunGroups& groups, const std::string& task,
                           const std::string& method, const std::string& reference,
                           const RunMeasure& measure) {
  PairedValues values;
  for (const PairedOutcomes& pair : paired_outcomes(groups, task, method, reference)) {
    values.method.push_back(measure(pair.method->totals));
    values.reference.push_back(measure(pair.reference->totals));
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

}  // namespace oscbo::report
