#include "online/game_options.hpp"

#include "base/option.hpp"

namespace oscbo::online {

namespace {

std::vector<Option> primal_options() {
  using Options = PrimalOptions;
  return {
      option::number_among("ftpl.p", &Options::exponent, {1.0, 2.0},
                           "exponent of the calibration loss"),
      option::choice("ftpl.init", &Options::initial_weight,
                     {{"weight_lambda0", Options::InitialWeight::multiplier},
                      {"weight_zero", Options::InitialWeight::zero},
                      {"exclude", Options::InitialWeight::exclude},
                      {"prior_only", Options::InitialWeight::prior_only}},
                     "how the initial design enters the sum that a fit minimises"),
      option::choice("ftpl.first", &Options::first,
                     {{"J_on_D0", Options::First::objective},
                      {"mll_on_D0", Options::First::likelihood},
                      {"fixed", Options::First::fixed}},
                     "lengthscale of the first round"),
      option::choice(
          "ftpl.perturb", &Options::perturbed_space,
          {{"theta", Options::PerturbedSpace::theta}, {"raw", Options::PerturbedSpace::raw}},
          "what the perturbation multiplies"),
      option::choice("ftpl.dist", &Options::law,
                     {{"normal", Options::Law::normal}, {"exponential", Options::Law::exponential}},
                     "law of the perturbation"),
      option::number("ftpl.sd", &Options::perturbation_sd, {0, 1e6},
                     "scale of the perturbation: sd, or mean if exponential"),
  };
}

std::vector<Option> dual_options() {
  using Options = DualOptions;
  return {
      option::choice_or_number("dual.lambda0", &Options::start,
                               {{"mll", Options::Start::likelihood},
                                {"one", Options::Start::one},
                                {"cap", Options::Start::cap}},
                               Options::Start::number, &Options::start_value, {1e-12, 1e6},
                               "first multiplier; mll = beta / log(1 + 1/noise_variance)"),
      option::number("dual.lr", &Options::rate, {0, 1e3}, "step size of the multiplier"),
      option::choice("dual.regulariser", &Options::regulariser,
                     {{"entropy", Options::Regulariser::entropy},
                      {"euclidean", Options::Regulariser::euclidean}},
                     "mirror map of the multiplier"),
      option::choice("dual.shift", &Options::weight_after_update, {{"0", false}, {"1", true}},
                     "multiplier that weights a point: its value before (0) or after (1) the "
                     "update by that point"),
      option::optional_number("dual.clip_lc", &Options::clip, "none", {-1, option::kAny},
                              "c: calibration losses are clipped to [-1, c] before use"),
  };
}

std::vector<Option> recovery_options() {
  using Options = RecoveryOptions;
  constexpr double kAny = option::kAny;
  return {
      option::choice(
          "rec.mode", &Options::mode,
          {{"once", Options::Mode::once},
           {"literal", Options::Mode::literal},
           {"off", Options::Mode::off}},
          "switch to recovery: once for good, in every round beyond the limit, or never"),
      option::number("rec.v", &Options::sharpness_weight, {0, 1},
                     "weight of sharpness in recovery"),
      option::choice("rec.history", &Options::history,
                     {{"restart", Options::History::restart}, {"keep", Options::History::keep}},
                     "whether recovery forgets earlier rounds"),
      option::optional_number(
          "rec.lambda0", &Options::start_multiplier, "default", {1e-12, 1},
          "first multiplier of recovery; default: min(first multiplier of play, 1)"),
      option::optional_number("rec.RP", &Options::primal_regret, "sqrt_T", {0, kAny},
                              "R^P in the violation limit: bound on the primal regret"),
      option::optional_number("rec.RD", &Options::dual_regret, "sqrt_T", {0, kAny},
                              "R^D in the violation limit: bound on the dual regret"),
      option::choice(
          "rec.E", &Options::slack_clock,
          {{"t", Options::SlackClock::current_round}, {"T", Options::SlackClock::budget}},
          "time in the term E_t of the violation limit"),
      option::number("rec.V_init", &Options::initial_violation, {-kAny, kAny},
                     "violation before the first round"),
      option::number("rho.hat", &Options::margin, {1e-6, 1}, "feasibility margin"),
      option::number("rho.T", &Options::margin_horizon, {1, kAny},
                     "T in the effective margin max(rho.hat/2, T^(-1/4))"),
  };
}

}  // namespace

std::vector<Option> game_options() {
  return join({primal_options(), dual_options(), recovery_options()});
}

}  // namespace oscbo::online
