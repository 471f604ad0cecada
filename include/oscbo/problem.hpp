// File: oscbo/problem.hpp
//
// Test problems with a known optimum, in maximisation form: formulas, and tables of measurements
// that are made continuous.
//
//   const oscbo::Problem levy = oscbo::make_problem("levy5");
//   const double y = levy.value(levy.maximiser);  // == levy.maximum to rounding
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oscbo/optimizer.hpp"

namespace oscbo {

struct Problem {
  std::string name;
  std::vector<Bounds> bounds;
  /// Native units in, to be maximised. May be called from several threads at once.
  std::function<double(std::span<const double>)> value;
  double maximum = 0.0;
  std::vector<double> maximiser;  // a point where `maximum` is attained
  std::string source = {};        // recognises what is behind it; empty for a formula
  /// The names by which each coordinate goes; empty for a task whose coordinates have none.
  std::vector<std::vector<std::string>> parameters = {};
};

struct ProblemInfo {
  std::string name;     // as typed; `<d>` stands for a dimension
  std::string domain;   // "[-10, 10]^d"
  std::string meaning;  // one line
};

/// problems lists the families of problems.
[[nodiscard]] const std::vector<ProblemInfo>& problems();

/// make_problem returns the problem called `name`, e.g. "hartmann6", "levy5" or "table:mine.csv".
/// `data` is the folder of the tables behind "material5", "concrete7" and "crossbarrel4". Throws
/// Error: unknown_name; invalid_value for a dimension outside the accepted range, for a table that
/// is malformed and when a folder is needed; io for a table that cannot be read.
[[nodiscard]] Problem make_problem(std::string_view name, const std::filesystem::path& data = {});

}  // namespace oscbo
