// The maximum information gain of n observations of a function:
//
//   gamma_n(theta) = max over designs X of n points of G(X),   G(X) = log|I + K(X, X) / s2| / 2,
//
// where K is the kernel matrix with hyperparameters theta, and s2 is the noise variance. Finding
// the best design is hard. The greedy design always adds the point with the largest posterior
// variance. G is submodular, so the G of the greedy design is at least (1 - 1/e) gamma_n.
#pragma once

#include "gp/kernel.hpp"

namespace oscbo::gp {

/// The greedy design over a fixed set of Sobol points of the unit cube. It is extended on demand. A
/// value type.
class InformationGain {
 public:
  InformationGain(KernelHandle kernel, Index dimension, double noise_variance, Vector theta);

  /// greedy returns the information gain of the greedy design of n points.
  double greedy(Index n);

  /// upper_bound returns an upper bound on gamma_n over the candidate points: the smaller of
  /// greedy(n) / (1 - 1/e) and n log(1 + k_max/s2) / 2. The latter is the gain of n independent
  /// points with the largest prior variance k_max.
  double upper_bound(Index n);

 private:
  void extend();

  KernelHandle kernel_;
  double noise_variance_;
  Vector theta_;
  Inputs candidates_;
  PaddedMatrix encoded_;
  double largest_variance_ = 0.0;  // the largest prior variance over the cube
  Vector variances_;               // the posterior variance of each candidate
  /// Row p of these columns is L^{-1} k(candidate p, design), where L is the Cholesky factor of the
  /// design's kernel matrix with noise.
  std::vector<Vector> columns_;
  std::vector<double> gains_;  // gains_[n] is the gain of the first n points
};

}  // namespace oscbo::gp
