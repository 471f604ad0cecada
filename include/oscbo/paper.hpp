// File: oscbo/paper.hpp
//
// Runs every experiment of the paper, draws its figures and checks its claims against the results.
// Also checks the guarantees of its theory in simulated runs.
//
//   const oscbo::PaperResult result = oscbo::run_paper({.out = "paper", .tables = false});
//   for (const oscbo::PaperClaim& claim : result.claims) use(claim.statement, claim.verdict);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace oscbo {

struct PaperPlan {
  std::filesystem::path out = {};   // receives main/, ablations/, sweep/, figures/ and the report
  std::filesystem::path data = {};  // folder of the benchmark tables
  /// The file with the weights of the method tabicl (oscbo/weights.hpp), which is the paper's
  /// baseline TabICLv2. If the path is empty, the experiments leave this baseline out.
  std::filesystem::path tabicl_weights = {};
  bool quick = false;   // 3 seeds, 30 rounds and fewer lander flights: minutes instead of hours
  bool tables = true;   // whether to include the three tasks made from tables
  bool figures = true;  // whether to draw figures/; requires gnuplot
  int jobs = 1;         // worker threads; never changes a result
  // Where one of the next three is empty or 0, the value of the paper is used.
  std::vector<std::string> tasks = {};  // a subset of the paper's tasks
  int seeds = 0;
  int steps = 0;
};

struct PaperProgress {
  std::string_view stage = {};  // "main", "ablations", "sweep", "illustration" or "figures"
  std::size_t done = 0;         // finished runs or figures
  std::size_t total = 0;
  double seconds_left = 0.0;  // estimate for the remaining runs; 0 while unknown
  bool more_to_come = false;  // whether there are later stages that the estimate does not include
};

/// A claim is unchecked if it is about a method that was not run.
enum class Verdict { reproduced, not_reproduced, unclear, unchecked };

[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;

/// A claim of the paper and the verdict of the results on it.
struct PaperClaim {
  std::string statement = {};
  std::string numbers = {};  // the numbers behind the verdict
  std::string rule = {};     // how the numbers determine the verdict
  Verdict verdict = Verdict::unclear;
};

struct PaperResult {
  std::vector<PaperClaim> claims = {};
  std::vector<std::filesystem::path> files = {};  // the report and the folder of figures
  std::size_t runs_finished = 0;                  // finished runs behind the verdicts
  std::size_t runs_planned = 0;  // planned runs; tasks that have not been started do not count
};

using PaperProgressFunction = std::function<void(const PaperProgress&)>;

/// run_paper runs the missing runs in `plan.out` and writes the report: report.html, report.md and
/// figures/. Finished runs are never repeated. Each grid of runs is a result directory like those
/// of run_experiment. Throws the errors of run_experiment. Errors about a name, a setting, a table
/// or a missing gnuplot (io) are thrown before any run. Throws Error (interrupted) when `stop`
/// becomes true.
PaperResult run_paper(const PaperPlan& plan, const PaperProgressFunction& progress = {},
                      const std::atomic<bool>* stop = nullptr);

/// report_paper writes the report on the finished runs in `plan.out`. It may be called during an
/// experiment. The list of planned runs is also read from `plan.out`. Apart from `out`, only
/// `plan.figures` is used. Throws Error (io) if there is no main experiment, and Error (conflict)
/// if the main experiment has no finished run.
PaperResult report_paper(const PaperPlan& plan, const PaperProgressFunction& progress = {});

/// A statement about the theory, checked in simulated runs: how often an event happens.
struct TheoryCheck {
  std::string claim = {};  // names the event
  int runs = 0;
  int count = 0;         // number of runs in which the event happened
  double limit = 0.0;    // a bound on the fraction count / runs
  bool at_least = true;  // whether the limit is a lower bound; otherwise it is an upper bound
  [[nodiscard]] bool holds() const;
};

/// check_theory simulates `runs` runs for each check, with functions and noise that satisfy the
/// assumptions of the theory. docs/theory.md lists the assumptions. `progress` is called with the
/// numbers of finished and total runs.
std::vector<TheoryCheck> check_theory(int runs, std::uint64_t first_seed = 0,
                                      const std::function<void(int, int)>& progress = {});

}  // namespace oscbo
