// Uniform samples of a polytope, by hit-and-run: from where it is, the chain looks along a random
// direction and jumps to a uniform point of the chord that the polytope cuts out.
//
//   HitAndRun chain(polytope, RandomStream(seed, Purpose::raw_samples, round));
//   const Vector& x = chain.next();
//
// The uniform law is stationary. From inside, a convex body of f dimensions whose extents are alike
// is forgotten after some f^2 jumps; directions are uniform when variables are measured in units of
// the polytope's extents, so only bodies that are thin and oblique take longer. Where the polytope
// is a product of simplices, `simplex.hpp` has independent samples.
#pragma once

#include <vector>

#include "numeric/padded_matrix.hpp"
#include "numeric/polytope.hpp"
#include "numeric/random_stream.hpp"

namespace oscbo::numeric {

class HitAndRun {
 public:
  /// Jumps between samples for each of the f dimensions, and as often before the first as that many
  /// samples take. Samples that follow each other are a little alike: few jumps are enough for
  /// points from which searches start, and a sample of the law needs many points anyway.
  static constexpr Index kJumpsPerDimension = 4;
  static constexpr Index kSamplesBefore = 10;

  /// Starts inside. Requires a polytope that is not empty and that outlives the chain.
  HitAndRun(const Polytope& polytope, RandomStream stream);

  /// next returns the next sample, a point of the polytope to Polytope::kTolerance; bounds hold
  /// exactly. It is a function of the polytope and the stream.
  const Vector& next();

 private:
  void jump();

  const Polytope* polytope_;
  RandomStream stream_;
  Eigen::MatrixXd rows_;  // of the true inequalities
  Vector bounds_;
  Vector x_;
};

}  // namespace oscbo::numeric
