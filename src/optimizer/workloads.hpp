// Workloads whose cost is measured. optimizer_bench.cpp measures seconds, and workloads.cpp is for
// counting instructions.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "gp/lengthscale_objective.hpp"
#include "gp/stationary_kernel.hpp"
#include "numeric/random_stream.hpp"
#include "oscbo/optimizer.hpp"
#include "oscbo/problem.hpp"

namespace oscbo::workloads {

/// The function that OSCBO with p = 2 minimises over one lengthscale, for n random observations of
/// six parameters. The struct cannot be copied, because its objective refers to the other members.
struct RandomObjective {
  explicit RandomObjective(gp::Index n);
  RandomObjective(const RandomObjective&) = delete;
  RandomObjective& operator=(const RandomObjective&) = delete;

  static constexpr gp::Index kDimension = 6;
  gp::Inputs inputs;
  gp::Vector y;
  gp::Vector weights;
  gp::ObjectiveTerms terms;
  gp::LengthscaleObjective objective;
};

inline RandomObjective::RandomObjective(gp::Index n)
    : inputs(kDimension, n),
      y(n),
      weights(gp::Vector::Constant(n, 0.43)),
      objective(gp::stationary_kernel(gp::KernelShape::matern52), Config().noise_variance) {
  numeric::RandomStream stream(0, numeric::Purpose::initial_design);
  std::vector<double> x(kDimension);
  for (gp::Index i = 0; i < n; ++i) {
    for (double& u : x) u = stream.uniform();
    inputs.append(x);
    y[i] = stream.normal();
  }
  const double noise = Config().noise_variance;
  const double c = std::log1p(1.0 / noise);
  terms = {.log_pivot_weights = gp::Vector::Constant(n, 1.0 / c),
           .residual_weights = weights / Config().beta,
           .exponent = 2.0,
           .constant = -static_cast<double>(n) * std::log(noise) / c - weights.sum()};
  objective.set_data(inputs, y);
  objective.set_terms(terms);
}

/// run asks and tells `evaluations` times.
inline void run(Optimizer& optimizer, const Problem& problem, int evaluations) {
  for (int i = 0; i < evaluations; ++i) {
    const Suggestion next = optimizer.ask();
    optimizer.tell(next.trial, problem.value(next.x));
  }
}

/// tell_random_points tells the values of n random points; the box must be the unit cube.
inline void tell_random_points(Optimizer& optimizer, const Problem& problem, int n,
                               std::uint64_t seed) {
  numeric::RandomStream stream(seed, numeric::Purpose::initial_design);
  std::vector<double> x(problem.space.dimension());
  for (int i = 0; i < n; ++i) {
    for (double& u : x) u = stream.uniform();
    optimizer.tell(x, problem.value(x));
  }
}

}  // namespace oscbo::workloads
