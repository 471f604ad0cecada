// File: oscbo/problem.hpp
//
// Test problems with a known optimum, in maximisation form.
//
//   const oscbo::Problem levy = oscbo::make_problem("levy5");
//   const double y = levy.value(levy.maximiser);  // == levy.maximum to rounding
#pragma once

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
  std::function<double(std::span<const double>)> value;  // native units in, to be maximised
  double maximum = 0.0;
  std::vector<double> maximiser;  // a point where `maximum` is attained
};

struct ProblemInfo {
  std::string name;     // as typed; `<d>` stands for a dimension
  std::string domain;   // "[-10, 10]^d"
  std::string meaning;  // one line
};

/// problems lists the families of problems.
[[nodiscard]] const std::vector<ProblemInfo>& problems();

/// make_problem returns the problem called `name`, e.g. "hartmann6" or "levy5". Throws Error
/// (unknown_name, or invalid_value for a dimension outside the accepted range).
[[nodiscard]] Problem make_problem(std::string_view name);

}  // namespace oscbo
