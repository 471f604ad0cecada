// Evidence against a claimed coverage, valid at any time.
#pragma once

namespace oscbo::online {

/// An anytime-valid test of the claim "each interval misses its observation with conditional
/// probability at most alpha". For an alternative q > alpha, a miss multiplies the likelihood ratio
/// by q / alpha, and a hit multiplies it by (1 - q) / (1 - alpha). After m misses in n rounds, the
/// mixture of these ratios over q uniform on (alpha, 1) is
///
///   E(m, n) = 1 / (1 - alpha) * integral_alpha^1 (q / alpha)^m ((1-q) / (1-alpha))^(n-m) dq.
///
/// Under the claim, neither the ratio for any q nor the mixture E grows in expectation: E is a
/// non-negative supermartingale that starts at 1. By Ville's inequality, the probability that E
/// ever reaches 1 / level is at most `level`. This holds for any length of the run, and one may
/// look at E after every round.
class CoverageEvidence {
 public:
  /// Requires 0 < alpha < 1.
  explicit CoverageEvidence(double alpha) : alpha_(alpha) {}

  void observe(bool miss);

  /// log_evidence returns the current log E.
  [[nodiscard]] double log_evidence() const;

  /// contradicts tells whether E has ever reached 1 / level. Later hits do not undo a
  /// contradiction.
  [[nodiscard]] bool contradicts(double level) const;

 private:
  double alpha_;
  int misses_ = 0;
  int hits_ = 0;
  double highest_log_evidence_ = 0.0;
};

}  // namespace oscbo::online
