// The confidence width sqrt(beta): intervals are mean +- sqrt(beta) sd.
#pragma once

#include <optional>
#include <vector>

#include "gp/information_gain.hpp"

namespace oscbo {

/// A value; constant, or that of Theorem 1:
///
///   sqrt(beta_t) = B + R/sqrt(s2) sqrt(2 (Gamma + 1 + log(6 N / delta))),
///
/// where Gamma bounds the information that so many observations can hold under any lengthscale
/// between theta.min and theta.max, and N is the covering number of these at radius T^-4. With a
/// known kernel N = 1, and Gamma is at least what the observations do hold, which is what the proof
/// needs. The factor 1/sqrt(s2) carries the bound, which is stated for observations
/// with unit noise variance, to a model whose noise variance is s2.
class ConfidenceWidth {
 public:
  ConfidenceWidth(const Config& config, gp::Index dimension);

  /// beta returns the square of the width when `observations` points are known, which hold
  /// `realised_gain` under the lengthscales in force.
  double beta(gp::Index observations, double realised_gain = 0.0);

  /// information_bound returns Gamma, or nothing when the width is constant.
  std::optional<double> information_bound(gp::Index observations, double realised_gain = 0.0);

 private:
  Config config_;
  double log_cover_ = 0.0;                  // log N
  std::vector<gp::InformationGain> gains_;  // one per lengthscale looked at; none when constant
};

}  // namespace oscbo
