#include "online/play_recovery.hpp"

#include <algorithm>
#include <cmath>

#include "online/game_options.hpp"

namespace oscbo::online {

double effective_margin(const RecoveryOptions& config) {
  return std::max(config.margin / 2.0, std::pow(config.margin_horizon, -0.25));
}

double initial_multiplier(const Config& config) {
  using Start = DualOptions::Start;
  const auto& dual = config.get<DualOptions>();
  switch (dual.start) {
    case Start::likelihood: return config.beta / std::log1p(1.0 / config.noise_variance);
    case Start::one: return 1.0;
    case Start::cap: return 1.0 / effective_margin(config.get<RecoveryOptions>());
    case Start::number: break;
  }
  return dual.start_value;
}

double violation_limit(const Config& config, int round) {
  const auto& recovery = config.get<RecoveryOptions>();
  const double t = std::max(round, 1);
  const double T = std::max<double>(config.budget, t);
  const double rho = effective_margin(recovery);
  const double clock = recovery.slack_clock == RecoveryOptions::SlackClock::current_round ? t : T;
  const double E = std::sqrt(8.0 * clock * std::log(18.0 * clock * clock / (config.delta / 3.0)));
  const double primal_regret = recovery.primal_regret.value_or(std::sqrt(T));
  const double dual_regret = recovery.dual_regret.value_or(std::sqrt(T));
  const double M = 2.0 / rho * std::sqrt(T) + (2.0 + 3.0 / rho) * E +
                   (1.0 + 2.0 / rho) * primal_regret + dual_regret / rho;
  return (T - t) * rho + M - 1.0;
}

namespace {

OnlineMirrorDescent dual_minimiser(const Config& config, double first, double cap) {
  const auto& dual = config.get<DualOptions>();
  return {first, cap, dual.rate, dual.regulariser};
}

}  // namespace

PlayRecoveryGame::PlayRecoveryGame(const Config& config, const Vector& first_lengthscales)
    : config_(config),
      violation_(config.get<RecoveryOptions>().initial_violation),
      primal_(first_lengthscales),
      dual_(dual_minimiser(config, initial_multiplier(config),
                           1.0 / effective_margin(config.get<RecoveryOptions>()))) {}

void PlayRecoveryGame::begin_round(int round) {
  const RecoveryOptions::Mode mode = config_.get<RecoveryOptions>().mode;
  if (mode == RecoveryOptions::Mode::off) return;
  if (mode == RecoveryOptions::Mode::once && phase_ == Phase::recovery) return;
  if (violation_ > violation_limit(config_, round)) enter_recovery();
}

void PlayRecoveryGame::enter_recovery() {
  const auto& recovery = config_.get<RecoveryOptions>();
  phase_ = Phase::recovery;

  Primal fresh(primal_.decision());
  if (recovery.history == RecoveryOptions::History::keep) {
    for (PointUtility utility : primal_.utilities()) {
      utility.sharpness_weight = recovery.sharpness_weight;
      fresh.observe_utility(utility);
    }
  }
  primal_ = std::move(fresh);

  const double first =
      recovery.start_multiplier.value_or(std::min(initial_multiplier(config_), 1.0));
  dual_ = dual_minimiser(config_, first, 1.0);
}

double PlayRecoveryGame::sharpness_weight() const {
  return phase_ == Phase::play ? 1.0 : config_.get<RecoveryOptions>().sharpness_weight;
}

void PlayRecoveryGame::recalibrate(Eigen::Index point, double multiplier, double calibration_loss) {
  const auto& dual = config_.get<DualOptions>();
  if (dual.clip) calibration_loss = std::clamp(calibration_loss, -1.0, *dual.clip);
  violation_ += calibration_loss;
  dual_.observe_utility(-calibration_loss);  // d/dlambda (-L^s - lambda L^c)
  primal_.observe_utility(
      {.point = point,
       .sharpness_weight = sharpness_weight(),
       .calibration_weight = dual.weight_after_update ? dual_.next_element() : multiplier});
}

void PlayRecoveryGame::observe_initial(Eigen::Index point) {
  using InitialWeight = PrimalOptions::InitialWeight;
  switch (config_.get<PrimalOptions>().initial_weight) {
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
