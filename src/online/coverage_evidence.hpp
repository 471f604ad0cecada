// Evidence against a claimed coverage that may be looked at after every round.
#pragma once

namespace oscbo::online {

/// An anytime-valid test of the claim "each interval misses its observation with conditional
/// probability at most alpha". Against one alternative q > alpha a miss multiplies the likelihood
/// ratio by q / alpha and a hit by (1 - q) / (1 - alpha). Under the claim neither the ratio of any
/// such q nor their mixture over q uniform on (alpha, 1),
///
///   E(m, n) = 1 / (1 - alpha) * integral_alpha^1 (q / alpha)^m ((1-q) / (1-alpha))^(n-m) dq
///
/// for m misses among n, grows in expectation: E is a non-negative supermartingale from E = 1. So
/// by Ville's inequality it ever reaches 1 / level with probability at most `level`, however long
/// the run and whenever one looks.
class CoverageEvidence {
 public:
  /// Requires 0 < alpha < 1.
  explicit CoverageEvidence(double alpha) : alpha_(alpha) {}

  void observe(bool miss);

  /// log_evidence returns log E now.
  [[nodiscard]] double log_evidence() const;

  /// contradicts returns whether E has ever reached 1 / level: later hits do not take back what
  /// was refuted.
  [[nodiscard]] bool contradicts(double level) const;

 private:
  double alpha_;
  int misses_ = 0;
  int hits_ = 0;
  double highest_log_evidence_ = 0.0;
};

}  // namespace oscbo::online
