// The dual regret minimiser: online mirror descent on one multiplier in [0, cap].
#pragma once

#include "online/game_options.hpp"

namespace oscbo::online {

/// The update is lambda_t = argmin_{lambda in [0, cap]} g_t lambda + D_psi(lambda, lambda_{t-1}) /
/// rate, where g_t is the gradient of the observed utility, and D_psi is the Bregman divergence of
/// the regulariser psi. As in the paper, a utility is a loss: the multiplier moves against the
/// gradient. In closed form:
///
///   psi = lambda log lambda - lambda (entropy):  lambda_t = min(lambda_{t-1} exp(-rate g_t), cap)
///   psi = lambda^2 / 2 (Euclidean):              lambda_t = clamp(lambda_{t-1} - rate g_t, 0, cap)
///
/// With the entropy, the multiplier is also kept at 1e-12 or above, because a value of 0 could
/// never grow again.
class OnlineMirrorDescent {
 public:
  OnlineMirrorDescent(double first, double cap, double rate, DualOptions::Regulariser regulariser);

  [[nodiscard]] double next_element() const { return multiplier_; }
  void observe_utility(double gradient);

 private:
  double multiplier_;
  double cap_;
  double rate_;
  DualOptions::Regulariser regulariser_;
};

}  // namespace oscbo::online
