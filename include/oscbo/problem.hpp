// File: oscbo/problem.hpp
//
// Test problems with a known optimum, in maximisation form. They are formulas, a simulated lunar
// lander (the best known point counts as its optimum), or functions made from tables of
// measurements. Most are defined on a box of real numbers. Others have parameters of every kind,
// outcomes with limits, or evaluations that fail.
//
//   const oscbo::Problem levy = oscbo::make_problem("levy5");
//   const double y = levy.value(levy.maximiser);  // == levy.maximum up to rounding
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oscbo/error.hpp"
#include "oscbo/space.hpp"

namespace oscbo {

struct Problem {
  std::string name;
  Space space;
  /// The function to maximise. Its argument is a point in native units. May be called from several
  /// threads at once.
  std::function<double(std::span<const double>)> value;
  double maximum = 0.0;           // over the points with acceptable outcomes
  std::vector<double> maximiser;  // a point at which `maximum` is attained
  std::string source = {};        // identifies the data or code behind it; empty for a formula
  /// For each coordinate, the column names that a table of points may use for it. Empty if the
  /// coordinates have no names.
  std::vector<std::vector<std::string>> parameters = {};
  /// Returns one value for each outcome of the space. Empty if the space has no outcomes.
  std::function<std::vector<double>(std::span<const double>)> outcomes = {};
  /// Tells whether evaluation number `evaluation`, at x, fails in a run with this seed. Empty if
  /// all evaluations succeed.
  std::function<bool(std::span<const double> x, std::uint64_t seed, std::uint64_t evaluation)>
      fails = {};
  /// The value that counts for a failed or unacceptable evaluation. No value of the function is
  /// lower.
  double worst = 0.0;

  /// accepts tells whether all of these outcomes are within the limits of the space.
  [[nodiscard]] bool accepts(std::span<const double> values) const;
};

struct ProblemInfo {
  std::string name;     // as typed by users; `<d>` stands for a dimension
  std::string domain;   // "[-10, 10]^d"
  std::string meaning;  // one line
};

/// problems lists the families of problems.
[[nodiscard]] const std::vector<ProblemInfo>& problems();

/// make_problem returns the problem called `name`, e.g. "hartmann6", "levy5" or "table:mine.csv".
/// `data` is the folder of the tables for "material5", "concrete7" and "crossbarrel4". Throws
/// Error: unknown_name for an unknown problem; invalid_value for a dimension outside the accepted
/// range, a malformed table or a missing `data`; io for a table that cannot be read.
[[nodiscard]] Problem make_problem(std::string_view name, const std::filesystem::path& data = {});

}  // namespace oscbo
