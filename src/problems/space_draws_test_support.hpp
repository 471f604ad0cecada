// Random points of a space, for tests that must not use the library's internals.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "numeric/random_stream.hpp"
#include "oscbo/space.hpp"

namespace oscbo {

inline double random_value(const Parameter& parameter, Bounds bounds,
                           numeric::RandomStream& stream) {
  const auto [lower, upper] = bounds;
  if (parameter.log) return lower * std::pow(upper / lower, stream.uniform());
  if (parameter.kind == ParameterKind::real && parameter.step == 0.0) {
    return lower + (upper - lower) * stream.uniform();
  }
  const double step = parameter.step > 0.0 ? parameter.step : 1.0;
  const auto levels = static_cast<std::size_t>(std::lround((upper - lower) / step)) + 1;
  return lower + step * static_cast<double>(stream.below(levels));
}

/// settled_point scales each mixture to its sum, and sets inactive parameters to NaN.
inline std::vector<double> settled_point(const Space& space, std::vector<double> x) {
  for (const Mixture& mixture : space.declaration().mixtures) {
    double sum = 0.0;
    for (const std::string& name : mixture.parameters) sum += x[space.index(name)];
    for (const std::string& name : mixture.parameters) x[space.index(name)] *= mixture.sum / sum;
  }
  std::vector<double> result = x;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!space.is_active(x, k)) result[k] = std::numeric_limits<double>::quiet_NaN();
  }
  return result;
}

inline bool keeps_constraints(const Space& space, const std::vector<double>& x) {
  return std::ranges::all_of(space.declaration().constraints,
                             [&](const LinearConstraint& constraint) {
                               double sum = 0.0;
                               for (const LinearConstraint::Term& term : constraint.terms) {
                                 sum += term.coefficient * x[space.index(term.parameter)];
                               }
                               return sum <= constraint.limit;
                             });
}

/// draw_until_kept returns the first point of `draw` that satisfies the constraints.
template <class Draw>
std::vector<double> draw_until_kept(const Space& space, const Draw& draw) {
  while (true) {
    std::vector<double> x = settled_point(space, draw());
    if (keeps_constraints(space, x)) return x;
  }
}

/// random_values returns a value for each parameter, active or not.
inline std::vector<double> random_values(const Space& space, numeric::RandomStream& stream) {
  const std::vector<Bounds> bounds = space.bounds();
  std::vector<double> x;
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    x.push_back(random_value(space.declaration().parameters[k], bounds[k], stream));
  }
  return x;
}

/// random_point_of returns a point of the space. It draws the parameters independently, then scales
/// each mixture to its sum. The parameters of a mixture must not be negative.
inline std::vector<double> random_point_of(const Space& space, numeric::RandomStream& stream) {
  return draw_until_kept(space, [&] { return random_values(space, stream); });
}

/// random_point_near returns a point near `centre`. Some parameters keep the values of `centre`,
/// and real ones move, most of them only a little.
inline std::vector<double> random_point_near(const Space& space, const std::vector<double>& centre,
                                             numeric::RandomStream& stream) {
  return draw_until_kept(space, [&] {
    std::vector<double> x = random_values(space, stream);
    const double change = stream.uniform();
    const double share = std::pow(stream.uniform(), 8.0);
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (std::isnan(centre[k])) continue;
      const Parameter& parameter = space.declaration().parameters[k];
      const bool is_any_real = parameter.kind == ParameterKind::real && parameter.step == 0.0;
      if (stream.uniform() > change) {
        x[k] = centre[k];
      } else if (is_any_real) {
        x[k] = centre[k] + share * (x[k] - centre[k]);
      }
    }
    return x;
  });
}

}  // namespace oscbo
