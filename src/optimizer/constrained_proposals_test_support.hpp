// Proposals in random spaces with linear constraints, for tests and for the experiments
// of `make study`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "numeric/random_stream.hpp"
#include "oscbo/optimizer.hpp"
#include "space/random_problem_test_support.hpp"

namespace oscbo::test {

/// What happened to the points that the initial design and the model proposed.
struct ConstrainedProposals {
  int points = 0;
  int refused = 0;         // points refused by their own space
  int exhausted = 0;       // problems whose integers leave no further point
  double violation = 0.0;  // the largest violation of a constraint, relative to its terms

  void add(const ConstrainedProposals& other) {
    points += other.points;
    refused += other.refused;
    exhausted += other.exhausted;
    violation = std::max(violation, other.violation);
  }
};

/// is_refused returns whether the space refuses a point that was proposed for it.
inline bool is_refused(const Space& space, const std::vector<double>& x) {
  try {
    space.check(x);
    return false;
  } catch (const Error&) {
    return true;
  }
}

/// proposals_in_random_problem asks and tells three points of random problem number `problem`. The
/// last one comes from a model.
inline ConstrainedProposals proposals_in_random_problem(std::uint64_t problem) {
  Config config = method_config("auto");
  config.initial_points = 2;
  numeric::RandomStream stream(11, numeric::Purpose::simulated_function, problem);
  const SpaceDeclaration declaration = space::test::random_problem(stream);
  Optimizer optimizer(Space(declaration), config, problem);
  ConstrainedProposals proposals;
  try {
    for (int i = 0; i < 3; ++i) {
      const Suggestion next = optimizer.ask();
      ++proposals.points;
      proposals.refused += is_refused(optimizer.space(), next.x) ? 1 : 0;
      proposals.violation =
          std::max(proposals.violation, space::test::violation(declaration, next.x));
      optimizer.tell(next.trial, std::sin(next.x[0]) + next.x[1]);
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::exhausted) throw;
    ++proposals.exhausted;
  }
  return proposals;
}

}  // namespace oscbo::test
