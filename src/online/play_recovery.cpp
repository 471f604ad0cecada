#include "online/play_recovery.hpp"

#include <algorithm>
#include <cmath>

namespace oscbo::online {

double effective_margin(const RecoveryConfig& config) {
  return std::max(config.margin / 2.0, std::pow(config.margin_horizon, -0.25));
}

double initial_multiplier(const Config& config) {
  switch (config.dual.start) {
    case MultiplierStart::likelihood: return config.beta / std::log1p(1.0 / config.noise_variance);
    case MultiplierStart::one: return 1.0;
    case MultiplierStart::cap: return 1.0 / effective_margin(config.recovery);
    case MultiplierStart::number: break;
  }
  return config.dual.start_value;
}

double violation_limit(const Config& config, int round) {
  const RecoveryConfig& recovery = config.recovery;
  const double t = std::max(round, 1);
  const double T = std::max<double>(config.budget, t);
  const double rho = effective_margin(recovery);
  const double clock = recovery.slack_clock == SlackClock::current_round ? t : T;
  const double E = std::sqrt(8.0 * clock * std::log(18.0 * clock * clock / (config.delta / 3.0)));
  const double primal_regret = recovery.primal_regret.value_or(std::sqrt(T));
  const double dual_regret = recovery.dual_regret.value_or(std::sqrt(T));
  const double M = 2.0 / rho * std::sqrt(T) + (2.0 + 3.0 / rho) * E +
                   (1.0 + 2.0 / rho) * primal_regret + dual_regret / rho;
  return (T - t) * rho + M - 1.0;
}

PlayRecoveryGame::PlayRecoveryGame(const Config& config, const Vector& first_lengthscales)
    : config_(config),
      violation_(config.recovery.initial_violation),
      primal_(first_lengthscales),
      dual_(initial_multiplier(config), 1.0 / effective_margin(config.recovery), config.dual.rate,
            config.dual.regulariser) {}

void PlayRecoveryGame::begin_round(int round) {
  const RecoveryMode mode = config_.recovery.mode;
  if (mode == RecoveryMode::off) return;
  if (mode == RecoveryMode::once && phase_ == Phase::recovery) return;
  if (violation_ > violation_limit(config_, round)) enter_recovery();
}

void PlayRecoveryGame::enter_recovery() {
  const RecoveryConfig& recovery = config_.recovery;
  phase_ = Phase::recovery;

  Primal fresh(primal_.decision());
  if (recovery.history == RecoveryHistory::keep) {
    for (PointUtility utility : primal_.utilities()) {
      utility.sharpness_weight = recovery.sharpness_weight;
      fresh.observe_utility(utility);
    }
  }
  primal_ = std::move(fresh);

  const double first =
      recovery.start_multiplier.value_or(std::min(initial_multiplier(config_), 1.0));
  dual_ = OnlineMirrorDescent(first, 1.0, config_.dual.rate, config_.dual.regulariser);
}

double PlayRecoveryGame::sharpness_weight() const {
  return phase_ == Phase::play ? 1.0 : config_.recovery.sharpness_weight;
}

void PlayRecoveryGame::recalibrate(Eigen::Index point, double multiplier, double calibration_loss) {
  if (config_.dual.clip) calibration_loss = std::clamp(calibration_loss, -1.0, *config_.dual.clip);
  violation_ += calibration_loss;
  dual_.observe_utility(-calibration_loss);  // d/dlambda (-L^s - lambda L^c)
  primal_.observe_utility(
      {.point = point,
       .sharpness_weight = sharpness_weight(),
       .calibration_weight = config_.dual.weight_after_update ? dual_.next_element() : multiplier});
}

void PlayRecoveryGame::observe_initial(Eigen::Index point) {
  switch (config_.primal.initial_weight) {
    case InitialWeight::multiplier:
      return primal_.observe_utility(
          {.point = point, .sharpness_weight = 1.0, .calibration_weight = multiplier()});
    case InitialWeight::zero:
      return primal_.observe_utility({.point = point, .sharpness_weight = 1.0});
    case InitialWeight::exclude:
    case InitialWeight::prior_only: return;
  }
}

void PlayRecoveryGame::observe_unasked(Eigen::Index point) {
  primal_.observe_utility(
      {.point = point, .sharpness_weight = sharpness_weight(), .calibration_weight = multiplier()});
}

}  // namespace oscbo::online
