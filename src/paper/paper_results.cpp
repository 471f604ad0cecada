#include "paper/paper_results.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "experiment/files.hpp"
#include "experiment/results.hpp"
#include "experiment/statistics.hpp"

namespace oscbo::paper {
namespace {

report::RunGroups read_if_begun(const std::filesystem::path& directory) {
  return experiment::exists(directory / "plan.json") ? report::read_learning_curves(directory)
                                                     : report::RunGroups{};
}

void add_group(report::RunGroups& to, const report::RunGroups& from, const std::string& task,
               const std::string& method, const std::string& name) {
  const report::RunGroup* group = from.find(task, method);
  if (group == nullptr) return;
  to.groups.push_back(*group);
  to.groups.back().method = name;
}

/// regime_results returns the results of a regime under the plain names of its methods.
RegimeResults regime_results(PaperRegime regime, const report::RunGroups& main,
                             const report::RunGroups& ablations) {
  regime.methods = regime.methods_beside(main.methods);
  RegimeResults results{.regime = regime, .groups = main};
  results.groups.methods = regime.methods;
  results.groups.groups.clear();
  const report::RunGroups& source = regime.setting.empty() ? main : ablations;
  for (const std::string& task : main.tasks) {
    for (const std::string& method : regime.methods) {
      add_group(results.groups, source, task, regime.variant(method), method);
    }
  }
  return results;
}

std::size_t runs_of(const report::RunGroups& groups, const std::string& task) {
  std::size_t runs = 0;
  for (const report::RunGroup& group : groups.groups) {
    if (group.task == task) runs = std::max(runs, group.runs.size());
  }
  return runs;
}

/// sweep_results uses only the seeds that both grids have, because the lander has more seeds in the
/// main experiment than in the sweep.
report::RunGroups sweep_results(const std::filesystem::path& out, const report::RunGroups& main,
                                const report::RunGroups& sweep) {
  report::RunGroups results = main;
  results.methods = swept_variants();
  results.groups.clear();
  for (const std::string& task : main.tasks) {
    const std::size_t runs = runs_of(sweep, task);
    const bool fewer = runs > 0 && runs < runs_of(main, task);
    const report::RunGroups defaults =
        fewer ? report::read_learning_curves(out / "main", static_cast<int>(runs)) : main;
    for (const std::string& method : results.methods) {
      add_group(results, is_variant(method) ? sweep : defaults, task, method, method);
    }
  }
  return results;
}

/// read_in_context_facts reads what the plan of the main experiment says of pfn and tabicl. The
/// intervals of pfn have a level of their own.
void read_in_context_facts(PaperResults& results, const experiment::PlanRecord& record) {
  results.main.nominal_coverage =
      report::common_nominal_coverage(record, methods_in_paper(record.methods));
  if (contains(record.methods, kPfn)) {
    results.pfn_coverage = report::common_nominal_coverage(record, std::array{std::string(kPfn)});
  }
  const auto options = record.options.find(kTabicl);
  if (options != record.options.end()) {
    results.tabicl_sha256 = options->second.at("tabicl.sha256");
  }
}

}  // namespace

report::RunGroups select_groups(const report::RunGroups& groups,
                                const std::vector<std::string>& tasks,
                                const std::vector<std::string>& methods) {
  report::RunGroups selected = groups;
  selected.groups.clear();
  selected.tasks.clear();
  selected.methods = methods;
  for (const std::string& task : tasks) {
    if (std::ranges::find(groups.tasks, task) == groups.tasks.end()) continue;
    selected.tasks.push_back(task);
    for (const std::string& method : methods) add_group(selected, groups, task, method, method);
  }
  return selected;
}

PaperResults read_paper_results(const std::filesystem::path& out) {
  PaperResults results{.main = report::read_learning_curves(out / "main"),
                       .ablations = read_if_begun(out / "ablations")};
  if (results.main.groups.empty()) {
    throw Error(ErrorCode::conflict, (out / "main").string(), "has no finished run");
  }
  read_in_context_facts(results, experiment::read_record({out / "main"}));
  for (const PaperRegime& regime : paper_regimes()) {
    results.regimes.push_back(regime_results(regime, results.main, results.ablations));
  }
  results.sweep = sweep_results(out, results.main, read_if_begun(out / "sweep"));
  return results;
}

const RegimeResults& find_regime(const PaperResults& results, const std::string& name) {
  const auto found = std::ranges::find_if(
      results.regimes, [&](const RegimeResults& regime) { return regime.regime.name == name; });
  if (found == results.regimes.end()) throw Error(ErrorCode::unknown_name, "regime", name);
  return *found;
}

double relative_distance(const report::Curve& curve, const report::Curve& reference) {
  if (curve.steps != reference.steps) return std::numeric_limits<double>::quiet_NaN();
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < curve.steps.size(); ++i) {
    if (curve.steps[i] < 1) continue;
    difference += std::abs(curve.mean[i] - reference.mean[i]);
    size += std::abs(reference.mean[i]);
  }
  return size > 0.0 ? difference / size : std::numeric_limits<double>::quiet_NaN();
}

double mean_relative_distance(const report::RunGroups& groups, const std::string& method,
                              const std::string& reference, report::Quantity quantity) {
  std::vector<double> distances;
  for (const std::string& task : groups.tasks) {
    const report::RunGroup* followed = groups.find(task, reference);
    const report::RunGroup* following = groups.find(task, method);
    if (followed == nullptr || following == nullptr) continue;
    const double distance = relative_distance((*following)[quantity], (*followed)[quantity]);
    if (!std::isnan(distance)) distances.push_back(distance);
  }
  return experiment::mean(distances);
}

}  // namespace oscbo::paper
