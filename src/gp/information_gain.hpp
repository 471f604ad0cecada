// How much n observations can tell about a function at most:
//
//   gamma_n(theta) = max over n points of I(n) = log|I + K / s2| / 2.
//
// Finding the best design is hard; the greedy one, which always takes the point of largest
// posterior variance, is within a factor of it because I is submodular: I(greedy) >= (1 - 1/e)
// gamma_n.
#pragma once

#include "gp/kernel.hpp"

namespace oscbo::gp {

/// The greedy design over a fixed set of Sobol points of the unit cube, extended as far as it is
/// asked about. A value.
class InformationGain {
 public:
  InformationGain(KernelHandle kernel, Index dimension, double noise_variance, Vector theta);

  /// greedy returns the information gain of the greedy design of n points.
  double greedy(Index n);

  /// upper_bound returns a number that is at least gamma_n over the candidate points: the smaller
  /// of greedy / (1 - 1/e) and what n independent points would tell, n log(1 + k_max/s2) / 2.
  double upper_bound(Index n);

 private:
  void extend();

  KernelHandle kernel_;
  double noise_variance_;
  Vector theta_;
  Inputs candidates_;
  PaddedMatrix encoded_;
  double largest_variance_ = 0.0;  // prior, over the cube
  Vector variances_;               // posterior, by candidate
  std::vector<Vector> columns_;    // row p of (columns) = L^{-1} k(candidate p, design)
  std::vector<double> gains_;      // of the first 0, 1, ... points
};

}  // namespace oscbo::gp
