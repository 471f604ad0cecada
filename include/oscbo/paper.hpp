// File: oscbo/paper.hpp
//
// Every experiment of the paper, its figures, and its claims held against the results; and the
// promises of its theory held against simulated runs.
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
  std::filesystem::path out = {};   // gets main/, ablations/, sweep/, figures/ and the report
  std::filesystem::path data = {};  // folder of the benchmark tables
  bool quick = false;               // 3 seeds, 30 rounds, a short flight: minutes instead of hours
  bool tables = true;               // whether the three tasks made from tables take part
  bool figures = true;              // whether figures/ is drawn, which takes gnuplot
  int jobs = 1;                     // worker threads; never changes a result
  // Of the paper unless given.
  std::vector<std::string> tasks = {};  // some of the paper's tasks
  int seeds = 0;
  int steps = 0;
};

struct PaperProgress {
  std::string_view stage = {};  // "main", "ablations", "sweep", "illustration" or "figures"
  std::size_t done = 0;         // runs, or figures
  std::size_t total = 0;
  double seconds_left = 0.0;  // estimate for all runs still to come; 0 while unknown
  bool more_to_come = false;  // whether there are stages that the estimate knows nothing about
};

enum class Verdict { reproduced, not_reproduced, unclear };

[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;

/// A claim of the paper and what the results say about it.
struct PaperClaim {
  std::string statement = {};
  std::string numbers = {};  // behind the verdict
  std::string rule = {};     // by which the numbers give the verdict
  Verdict verdict = Verdict::unclear;
};

struct PaperResult {
  std::vector<PaperClaim> claims = {};
  std::vector<std::filesystem::path> files = {};  // written: the report, and the folder of figures
  std::size_t runs_finished = 0;                  // on which all this rests
  std::size_t runs_planned = 0;                   // on the tasks that have been begun
};

using PaperProgressFunction = std::function<void(const PaperProgress&)>;

/// run_paper runs what is missing in `plan.out` and writes the report of it: report.html, report.md
/// and figures/. A finished run is never repeated, and the grids are result directories as those of
/// run_experiment. Throws what run_experiment throws, before anything is run if a name, a setting
/// or a table is at fault, or gnuplot is missing (io); Error (interrupted) when `stop` becomes
/// true.
PaperResult run_paper(const PaperPlan& plan, const PaperProgressFunction& progress = {},
                      const std::atomic<bool>* stop = nullptr);

/// report_paper writes the report of what is finished in `plan.out`, also while runs are in
/// progress there. Of the rest of `plan` only `figures` matters: what was to be run is on record.
/// Throws Error (io) when there is no main experiment, Error (conflict) when it has no finished
/// run.
PaperResult report_paper(const PaperPlan& plan, const PaperProgressFunction& progress = {});

/// One promise of the theory, held against simulated runs.
struct TheoryCheck {
  std::string claim = {};
  int runs = 0;
  int count = 0;         // of the runs, those in which it came true
  double limit = 0.0;    // promised fraction
  bool at_least = true;  // whether the fraction is to be at least or at most the limit
  [[nodiscard]] bool holds() const;
};

/// check_theory simulates `runs` runs for each promise, on functions and noise for which its
/// assumptions hold; docs/theory.md lists them. `progress` is called with finished and total runs.
std::vector<TheoryCheck> check_theory(int runs, std::uint64_t first_seed = 0,
                                      const std::function<void(int, int)>& progress = {});

}  // namespace oscbo
