// File: oscbo/report.hpp
//
// The report of a result directory: which method is better, by how much, and how surely. And the
// picture of a single run.
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
  std::string reference = {};  // the method all others are compared with; empty: the first one
  bool figures = true;         // draw the figures as SVG and PDF, which takes gnuplot
};

/// The mean rank of a method over tasks, 1 = best.
struct MeanRank {
  double mean = 0.0;
  double error = 0.0;  // standard error over tasks; NaN for one task
  /// Methods that share a letter are not told apart at 5 % (Nemenyi); empty for one task.
  std::string letters = {};
};

struct MethodRanks {
  std::string method;
  std::size_t tasks = 0;  // those on which every method has finished runs
  MeanRank simple_regret = {};
  MeanRank cumulative_regret = {};
};

/// What write_report wrote, and its main result.
struct ReportFiles {
  std::filesystem::path page = {};      // report.html, which needs nothing beside itself
  std::filesystem::path markdown = {};  // report.md
  std::filesystem::path figures = {};   // the directory of the figures; empty when none were drawn
  std::vector<MethodRanks> ranks = {};  // best simple regret first
};

/// write_report compares the finished runs of `directory` and writes report.html, report.md and
/// figures/ there, each file whole or not at all. It may do so while an experiment is in progress
/// there. `progress` is called with the number of figures drawn and their total.
///
/// Throws Error (unknown_name) when the reference has no finished run, Error (conflict) when there
/// is no finished run at all or `directory` is not one that run_experiment made, and Error (io)
/// when a file cannot be read or written or gnuplot is missing.
ReportFiles write_report(const std::filesystem::path& directory, const ReportOptions& options = {},
                         const std::function<void(std::size_t, std::size_t)>& progress = {});

/// convergence_svg draws a run: regret on a logarithmic scale above, and below it every
/// observation against the interval predicted for it, hits and misses told apart.
[[nodiscard]] std::string convergence_svg(const Problem& problem, const Config& config,
                                          std::span<const RunRow> rows);

}  // namespace oscbo
