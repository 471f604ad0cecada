// The results of the paper's experiments, arranged for the figures and claims. Each regime and the
// sweep have their own run groups. Within a regime, methods have their plain names, without the
// setting that they share.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "paper/paper_plan.hpp"
#include "report/learning_curves.hpp"

namespace oscbo::paper {

/// A regime with its results; the groups carry the names of `regime.methods`, in which tabicl is
/// left out if it was not run.
struct RegimeResults {
  PaperRegime regime;
  report::RunGroups groups;
};

struct PaperResults {
  /// All methods of the main experiment. main.nominal_coverage is the level of the intervals of the
  /// paper's methods.
  report::RunGroups main = {};
  double pfn_coverage = std::numeric_limits<double>::quiet_NaN();  // nominal; NaN without pfn
  std::string tabicl_sha256 = {};           // of its weights; empty without tabicl
  std::vector<RegimeResults> regimes = {};  // in the order of paper_regimes, which includes main
  /// All combinations of the sweep, including the default ones from the main experiment, over
  /// common seeds.
  report::RunGroups sweep = {};
  report::RunGroups ablations = {};  // by variant, as they were run
};

/// select_groups returns the part of `groups` with these tasks and methods, in this order.
[[nodiscard]] report::RunGroups select_groups(const report::RunGroups& groups,
                                              const std::vector<std::string>& tasks,
                                              const std::vector<std::string>& methods);

/// read_paper_results reads the finished runs of the three grids in `out`. Grids that have not been
/// started are empty. Throws Error (conflict) if the main experiment has no finished run.
[[nodiscard]] PaperResults read_paper_results(const std::filesystem::path& out);

/// find_regime returns the results of the regime called `name`, one of paper_regimes.
[[nodiscard]] const RegimeResults& find_regime(const PaperResults& results,
                                               const std::string& name);

/// relative_distance returns sum_t |a_t - b_t| / sum_t |b_t| over the rounds of two curves, a
/// measure of how closely one follows the other. NaN if the rounds differ or all b_t are zero.
[[nodiscard]] double relative_distance(const report::Curve& curve, const report::Curve& reference);

/// mean_relative_distance averages relative_distance from `reference` over the tasks for which it
/// is not NaN. NaN if there is no such task.
[[nodiscard]] double mean_relative_distance(const report::RunGroups& groups,
                                            const std::string& method, const std::string& reference,
                                            report::Quantity quantity);

}  // namespace oscbo::paper
