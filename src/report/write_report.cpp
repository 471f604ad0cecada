#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "oscbo/error.hpp"
#include "oscbo/report.hpp"
#include "report/experiment_report.hpp"
#include "report/report.hpp"
#include "report/report_tables.hpp"

namespace oscbo {
namespace {

using report::Quantity;
using report::RankedMethod;
using report::RunGroups;

RunGroups finished_runs(const std::filesystem::path& directory) {
  RunGroups groups = report::read_learning_curves(directory);
  if (groups.groups.empty()) {
    throw Error(ErrorCode::conflict, directory.string(),
                "has no finished run yet; 'oscbo bench run' makes them");
  }
  return groups;
}

/// reference_method returns the requested method, or the first one if none was requested.
std::string reference_method(const RunGroups& groups, const std::string& asked) {
  const std::vector<std::string> methods = report::methods_with_runs(groups);
  if (asked.empty()) return methods.front();
  if (std::ranges::find(methods, asked) == methods.end()) {
    throw Error(ErrorCode::unknown_name, "reference",
                fmt::format("'{}' has no finished run; those that have: {}", asked,
                            fmt::join(methods, ", ")));
  }
  return asked;
}

MeanRank mean_rank(const RankedMethod& method) {
  return {.mean = method.ranks.mean, .error = method.ranks.error, .letters = method.letters};
}

std::vector<MethodRanks> all_ranks(const RunGroups& groups) {
  const auto ranked = [&](Quantity regret) {
    const std::vector<std::string> methods = report::methods_with_runs(groups);
    return rank_methods(final_scores(groups, methods, regret), groups, regret);
  };
  std::map<std::string, MeanRank> cumulative;
  for (const RankedMethod& method : ranked(Quantity::cumulative_regret)) {
    cumulative[method.method] = mean_rank(method);
  }
  std::vector<MethodRanks> ranks;
  for (const RankedMethod& method : ranked(Quantity::simple_regret)) {
    ranks.push_back({.method = method.method,
                     .tasks = method.ranks.ranks.size(),
                     .simple_regret = mean_rank(method),
                     .cumulative_regret = cumulative.at(method.method)});
  }
  return ranks;
}

}  // namespace

ReportFiles write_report(const std::filesystem::path& directory, const ReportOptions& options,
                         const std::function<void(std::size_t, std::size_t)>& progress) {
  const RunGroups groups = finished_runs(directory);
  const std::string reference = reference_method(groups, options.reference);
  report::write_report_files(report::experiment_report(groups, reference), directory,
                             options.figures, progress);
  const report::ReportPaths paths(directory);
  return {.page = paths.page,
          .markdown = paths.markdown,
          .figures = options.figures ? paths.figures : std::filesystem::path{},
          .ranks = all_ranks(groups)};
}

}  // namespace oscbo
