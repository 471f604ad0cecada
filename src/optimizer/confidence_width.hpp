// The confidence width sqrt(beta): intervals are mean +- sqrt(beta) sd.
#pragma once

#include <optional>
#include <vector>

#include "gp/information_gain.hpp"
#include "oscbo/config.hpp"

namespace oscbo {

/// A value type. The width is constant, or follows Theorem 1:
///
///   sqrt(beta_t) = B + R/sqrt(s2) sqrt(2 (Gamma + 1 + log(6 N / delta))),
///
/// where B and R are the bounds of online::WidthOptions on the norm of the function and on the
/// noise. Gamma bounds the information gain of any n points under any lengthscale between theta.min
/// and theta.max, where n is the number of observations so far. Gamma is at least the realised
/// information gain, as the proof requires. N is the covering number of these lengthscales at
/// radius T^-4, where T is the budget. With a known kernel, N = 1. The theorem assumes unit noise
/// variance; the factor 1/sqrt(s2) adapts it to a model whose noise variance is s2.
class ConfidenceWidth {
 public:
  ConfidenceWidth(const Config& config, gp::Index dimension);

  /// beta returns the square of the width for `observations` known points. `realised_gain` is their
  /// information gain under the lengthscales in force.
  double beta(gp::Index observations, double realised_gain = 0.0);

  /// information_bound returns Gamma, or nothing when the width is constant.
  std::optional<double> information_bound(gp::Index observations, double realised_gain = 0.0);

 private:
  Config config_;
  double log_cover_ = 0.0;  // log N
  std::vector<gp::InformationGain>
      gains_;  // one per lengthscale checked; empty if the width is constant
};

}  // namespace oscbo
