// Uniform samples of a polytope by hit-and-run. In each step the chain chooses a random line
// through its point and jumps to a uniform point of the part of this line that is in the polytope.
//
//   HitAndRun chain(polytope, RandomStream(seed, Purpose::raw_samples, round));
//   const Vector& x = chain.next();
//
// The uniform distribution is stationary. In a convex body of f dimensions with similar extents,
// the chain forgets its start after about f^2 jumps. The directions are uniform in coordinates
// scaled by the polytope's extents, so only thin and oblique bodies take longer. For a product of
// simplices, `simplex.hpp` has independent samples.
#pragma once

#include <vector>

#include "numeric/padded_matrix.hpp"
#include "numeric/polytope.hpp"
#include "numeric/random_stream.hpp"

namespace oscbo::numeric {

class HitAndRun {
 public:
  /// The chain makes kJumpsPerDimension * f jumps between samples, where f is the dimension of the
  /// polytope. The burn-in before the first sample takes as many jumps as kSamplesBefore samples.
  /// Consecutive samples are slightly correlated. This is acceptable: they serve as starting points
  /// of searches, and estimates of the distribution use many samples anyway.
  static constexpr Index kJumpsPerDimension = 4;
  static constexpr Index kSamplesBefore = 10;

  /// The chain starts at the interior point. Requires a polytope that is not empty and outlives the
  /// chain.
  HitAndRun(const Polytope& polytope, RandomStream stream);

  /// next returns the next sample. It satisfies the bounds exactly and the other constraints to
  /// Polytope::kTolerance. The samples depend only on the polytope and the stream.
  const Vector& next();

 private:
  void jump();

  const Polytope* polytope_;
  RandomStream stream_;
  Eigen::MatrixXd rows_;  // the rows of C that Polytope::true_inequalities lists
  Vector bounds_;         // their right-hand sides
  Vector x_;
};

}  // namespace oscbo::numeric
