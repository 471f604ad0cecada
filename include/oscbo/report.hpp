// File: oscbo/report.hpp
//
// The report on a result directory: which method is better, by how much, and with what confidence.
// Also the plot of a single run.
//
//   const oscbo::ReportFiles files = oscbo::write_report("results", {.reference = "oscbo"});
//   open_in_browser(files.page);
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "oscbo/config.hpp"
#include "oscbo/experiment.hpp"
#include "oscbo/problem.hpp"

namespace oscbo {

struct ReportOptions {
  std::string reference = {};  // the method that all others are compared with; empty: the first one
  bool figures = true;         // draw the figures as SVG and PDF; requires gnuplot
};

/// The mean rank of a method over tasks, 1 = best.
struct MeanRank {
  double mean = 0.0;
  double error = 0.0;  // standard error over tasks; NaN for one task
  /// Methods with a common letter do not differ significantly at 5 % (Nemenyi). Empty for one task.
  std::string letters = {};
};

struct MethodRanks {
  std::string method;
  std::size_t tasks = 0;  // tasks on which every method has finished runs
  MeanRank simple_regret = {};
  MeanRank cumulative_regret = {};
};

/// The files that write_report wrote, and its main result.
struct ReportFiles {
  std::filesystem::path page = {};      // report.html, a self-contained page
  std::filesystem::path markdown = {};  // report.md
  std::filesystem::path figures = {};   // the directory of the figures; empty if none were drawn
  std::vector<MethodRanks> ranks = {};  // best simple regret first
};

/// write_report compares the finished runs of `directory` and writes report.html, report.md and
/// figures/ there. It may be called during an experiment, and writes each file atomically.
/// `progress` is called with the number of figures drawn and their total.
///
/// Throws Error (unknown_name) if the reference has no finished run. Throws Error (conflict) if
/// there are no finished runs, or if run_experiment did not create `directory`. Throws Error (io)
/// if a file cannot be read or written, or if gnuplot is missing.
ReportFiles write_report(const std::filesystem::path& directory, const ReportOptions& options = {},
                         const std::function<void(std::size_t, std::size_t)>& progress = {});

/// convergence_svg draws a run. The upper panel shows regret on a logarithmic scale. The lower
/// panel shows every observation and the interval predicted for it, with hits and misses marked
/// differently.
[[nodiscard]] std::string convergence_svg(const Problem& problem, const Config& config,
                                          std::span<const RunRow> rows);

}  // namespace oscbo
