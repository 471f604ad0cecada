// File: oscbo/problem.hpp
//
// Test problems with a known optimum, in maximisation form: formulas, and tables of measurements
// that are made continuous. Most have a box of real numbers; others have parameters of every kind,
// outcomes that must stay within limits, or evaluations that fail.
//
//   const oscbo::Problem levy = oscbo::make_problem("levy5");
//   const double y = levy.value(levy.maximiser);  // == levy.maximum to rounding
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
  /// Native units in, to be maximised. May be called from several threads at once.
  std::function<double(std::span<const double>)> value;
  double maximum = 0.0;           // over the points whose outcomes are acceptable
  std::vector<double> maximiser;  // a point where `maximum` is attained
  std::string source = {};        // recognises what is behind it; empty for a formula
  /// The names by which each coordinate goes; empty for a task whose coordinates have none.
  std::vector<std::vector<std::string>> parameters = {};
  /// One value for each outcome of the space; empty where it has none.
  std::function<std::vector<double>(std::span<const double>)> outcomes = {};
  /// Whether evaluation number `evaluation` of a run with this seed, which is at x, brings no
  /// value; empty where all succeed.
  std::function<bool(std::span<const double> x, std::uint64_t seed, std::uint64_t evaluation)>
      fails = {};
  /// What an evaluation counts as that fails or is not acceptable: no value is lower.
  double worst = 0.0;

  /// accepts returns whether all of these outcomes are within the limits of the space.
  [[nodiscard]] bool accepts(std::span<const double> values) const;
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
