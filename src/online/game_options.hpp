// The options of the sharpness-calibration game: its two regret minimisers, and the switch between
// play and recovery.
#pragma once

#include <optional>
#include <vector>

namespace oscbo {
struct Option;
}

namespace oscbo::online {

/// The primal regret minimiser: follow the perturbed leader.
struct PrimalOptions {
  enum class InitialWeight { multiplier, zero, exclude, prior_only };
  enum class First { objective, likelihood, fixed };
  enum class PerturbedSpace { theta, raw };
  enum class Law { normal, exponential };

  double exponent = 2.0;  // p of the calibration loss, 1 or 2
  InitialWeight initial_weight = InitialWeight::multiplier;
  First first = First::objective;
  PerturbedSpace perturbed_space = PerturbedSpace::theta;
  Law law = Law::normal;
  double perturbation_sd = 0.1;
};

/// The dual regret minimiser: online mirror descent on the multiplier.
struct DualOptions {
  enum class Start { likelihood, one, cap, number };
  enum class Regulariser { entropy, euclidean };

  Start start = Start::likelihood;
  double start_value = 1.0;  // used when start == number
  bool weight_after_update = false;
  double rate = 0.001;
  Regulariser regulariser = Regulariser::entropy;
  std::optional<double> clip;  // calibration loss clipped to [-1, clip] before it is used
};

/// The play/recovery switch.
struct RecoveryOptions {
  enum class Mode { once, literal, off };
  enum class History { restart, keep };
  enum class SlackClock { current_round, budget };

  Mode mode = Mode::once;
  double sharpness_weight = 0.0;  // of the sharpness loss in recovery
  History history = History::restart;
  std::optional<double> start_multiplier;  // default min(initial multiplier, 1)
  std::optional<double> primal_regret;     // R^P, default sqrt(T)
  std::optional<double> dual_regret;       // R^D, default sqrt(T)
  SlackClock slack_clock = SlackClock::current_round;
  double initial_violation = 0.0;
  double margin = 0.5;            // rho-hat
  double margin_horizon = 150.0;  // T in rho-tilde = max(rho-hat / 2, T^(-1/4))
};

[[nodiscard]] std::vector<Option> game_options();

}  // namespace oscbo::online
