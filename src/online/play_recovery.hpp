// The Lagrangian game between sharpness and calibration, with its play and recovery phases:
// Algorithm 1 and RECALIBRATE of the paper, without the Gaussian process.
//
// Per round t:
//
//   game.begin_round(t);                                   // lines 8-11: the switch
//   theta  = game.next_lengthscales(oracle, eta);          // line 12: primal NEXTELEMENT
//   lambda = game.multiplier();                            // line 13: dual NEXTELEMENT
//   ... query x_t, observe y_t ...                         // lines 14-15
//   game.recalibrate(point, lambda, calibration_loss);     // lines 16-17
#pragma once

#include "online/ftpl.hpp"
#include "online/game_options.hpp"
#include "online/mirror_descent.hpp"
#include "oscbo/config.hpp"
#include "oscbo/prediction.hpp"

namespace oscbo::online {

/// The term of observation `point` in the sum that the leader minimises (a utility in the paper):
/// u_j(theta) = sharpness_weight L^s_j(theta) + calibration_weight L^c_j(theta).
struct PointUtility {
  Eigen::Index point = 0;
  double sharpness_weight = 1.0;
  double calibration_weight = 0.0;
};

/// effective_margin returns rho-tilde = max(rho-hat / 2, T^(-1/4)). Here rho-hat is
/// RecoveryOptions::margin, and T is RecoveryOptions::margin_horizon, not the budget.
[[nodiscard]] double effective_margin(const RecoveryOptions& config);

/// initial_multiplier returns lambda_0. Its default is beta / log(1 + 1/s2), where s2 is the noise
/// variance. With this weight, the objective for p = 2 (PrimalOptions::exponent) is proportional to
/// the negative log marginal likelihood.
[[nodiscard]] double initial_multiplier(const Config& config);

/// violation_limit returns the largest violation that can still be repaid, (T - t) rho + M_t - 1,
/// where
///
///   M_t = (2/rho) sqrt(T) + (2 + 3/rho) E_t + (1 + 2/rho) R^P + R^D / rho,
///   E_t = sqrt(8 t log(18 t^2 / (delta/3))).
///
/// Here rho is the effective margin, T the budget, t the round and delta Config::delta. R^P and R^D
/// are RecoveryOptions::primal_regret and dual_regret. Past the budget, T = t. If
/// RecoveryOptions::slack_clock is `budget`, E_T replaces E_t.
[[nodiscard]] double violation_limit(const Config& config, int round);

class PlayRecoveryGame {
 public:
  using Primal = FollowThePerturbedLeader<PointUtility>;

  PlayRecoveryGame(const Config& config, const Vector& first_lengthscales);

  /// begin_round switches permanently to recovery if the violation exceeds violation_limit. Both
  /// learners then restart, and sharpness has the weight RecoveryOptions::sharpness_weight, which
  /// is 0 by default. In mode `literal`, the learners restart in every round beyond the limit; in
  /// mode `off`, the game never switches.
  void begin_round(int round);

  const Vector& next_lengthscales(const Primal::Oracle& oracle, const Vector& eta) {
    return primal_.next_element(oracle, eta);
  }
  /// start_from replaces the lengthscales that are played until the first utility is observed.
  void start_from(Vector first) { primal_.start_from(std::move(first)); }
  [[nodiscard]] double multiplier() const { return dual_.next_element(); }

  /// recalibrate gives both learners feedback on a prediction. `multiplier` is the multiplier in
  /// force when the prediction was made.
  void recalibrate(Eigen::Index point, double multiplier, double calibration_loss);

  /// observe_initial adds a point of the initial design to the leader's sum, unless
  /// PrimalOptions::initial_weight leaves it out.
  void observe_initial(Eigen::Index point);

  /// observe_unasked adds a later point that was told without having been asked. Its weight is the
  /// multiplier in force. There is no prediction to give feedback on.
  void observe_unasked(Eigen::Index point);

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] double violation() const { return violation_; }
  [[nodiscard]] const Primal& primal() const { return primal_; }

 private:
  void enter_recovery();
  [[nodiscard]] double sharpness_weight() const;

  Config config_;
  Phase phase_ = Phase::play;
  double violation_;
  Primal primal_;
  OnlineMirrorDescent dual_;
};

}  // namespace oscbo::online
