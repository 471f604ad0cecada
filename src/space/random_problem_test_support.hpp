// Random spaces with linear constraints, for tests and for the experiments of `make study`.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "numeric/random_stream.hpp"
#include "oscbo/space.hpp"

namespace oscbo::space::test {

/// A few floats and ints with a few constraints. At least one point satisfies all of them.
inline SpaceDeclaration random_problem(numeric::RandomStream& stream) {
  SpaceDeclaration declaration;
  const std::size_t dimension = 2 + stream.below(5);
  std::vector<double> inside;
  for (std::size_t k = 0; k < dimension; ++k) {
    const double lower = std::floor(10.0 * stream.normal());
    const double upper = lower + 1.0 + std::floor(20.0 * stream.uniform());
    const bool is_integer = stream.below(3) == 0;
    declaration.parameters.push_back(
        {.name = "p" + std::to_string(k),
         .kind = is_integer ? ParameterKind::integer : ParameterKind::real,
         .lower = lower,
         .upper = upper});
    const double x = lower + (upper - lower) * stream.uniform();
    inside.push_back(is_integer ? std::round(x) : x);
  }
  for (std::size_t c = 0; c < 1 + stream.below(4); ++c) {
    LinearConstraint constraint;
    for (std::size_t k = 0; k < dimension; ++k) {
      if (stream.below(2) == 0) continue;
      const double coefficient = stream.normal();
      constraint.terms.push_back({declaration.parameters[k].name, coefficient});
      constraint.limit += coefficient * inside[k];
    }
    if (constraint.terms.empty()) continue;
    constraint.limit += stream.below(4) == 0 ? 0.0 : std::abs(stream.normal());
    declaration.constraints.push_back(constraint);
  }
  return declaration;
}

/// The largest violation of a constraint, relative to its terms.
inline double violation(const SpaceDeclaration& declaration, const std::vector<double>& x) {
  double largest = 0.0;
  for (const LinearConstraint& constraint : declaration.constraints) {
    double sum = -constraint.limit;
    double scale = std::abs(constraint.limit) + 1.0;
    for (const auto& [name, coefficient] : constraint.terms) {
      const std::size_t k = std::stoul(name.substr(1));
      sum += coefficient * x[k];
      scale += std::abs(coefficient * x[k]);
    }
    largest = std::max(largest, sum / scale);
  }
  return largest;
}

}  // namespace oscbo::space::test
