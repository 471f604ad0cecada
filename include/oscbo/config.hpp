// File: oscbo/config.hpp
//
// Everything that can be set about an optimisation, with the paper's defaults. A method is a named
// composition of these pieces; `method_config("oscbo-l1")` returns one, and any piece can be
// overridden, by assignment or by its option name:
//
//   oscbo::Config config = oscbo::method_config("oscbo");
//   config.kernel.nu = 1.5;
//   oscbo::set_option(config, "learner.solver", "exact");
//
// The option names, ranges and meanings are declared once, in src/optimizer/options.cpp; `options`
// lists them for help pages and reference documentation.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oscbo {

enum class KernelFamily { matern, rbf, network };
enum class Activation { relu, erf };
enum class AcquisitionKind { ucb, logei, ei, pi, thompson, random, sobol };
enum class BestValue { observed, fitted };
enum class SearchSolver { lbfgsb, bfgs };
enum class SolverKind { adam, exact };
enum class StartRule { warm, cold, likelihood };
enum class ThetaTransform { softplus, log, clamp };
enum class InitialWeight { multiplier, zero, exclude, prior_only };
enum class FirstFit { objective, likelihood, fixed };
enum class PerturbedSpace { theta, raw };
enum class PerturbationLaw { normal, exponential };
enum class MultiplierStart { likelihood, one, cap, number };
enum class DualRegulariser { entropy, euclidean };
enum class RecoveryMode { once, literal, off };
enum class RecoveryHistory { restart, keep };
enum class SlackClock { current_round, budget };
enum class StandardiseRule { each_round, initial_only, none };
enum class LossStatistics { before, after };
enum class InputNormalisation { bounds, data };
enum class DesignLaw { sobol, uniform, lhs };
enum class WidthKind { constant, theory };
enum class GrowthKind { step, power, fast };
enum class ScheduleClock { rounds, calls };
enum class BalancingGrid { paper, code };
enum class AddRule { schedule, literal };
enum class AddCount { one, all };
enum class RegretForm { matern, rbf };
enum class EliminationTest { paper, code };
enum class RuleWidth { fixed, theory };
enum class BookkeepingSd { latent, with_noise };
enum class RewardScale { current, raw };
enum class SplitRule { each_round, per_seed };
enum class ConditionOn { all, training };
enum class QuantileRule { linear, conformal };
enum class RecalibrationKind { empirical, sequential };
enum class NoiseModel { fixed, learned };

/// Which part of Algorithm 1 is running.
enum class Phase { play, recovery };

[[nodiscard]] std::string_view to_string(Phase phase) noexcept;

struct KernelConfig {
  KernelFamily family = KernelFamily::matern;
  double nu = 2.5;        // Matern smoothness, > 0
  bool ard = false;       // one lengthscale per parameter instead of one for all
  bool additive = false;  // adds functions of single parameters to the kernel; needs ard
  // The network kernel learns the variances of weights and biases in place of lengthscales.
  int depth = 3;  // hidden layers
  Activation activation = Activation::relu;
  bool normalised = true;  // divided by its largest variance over the box
  // Used by the rule `fixed`; the other rules learn these.
  double lengthscale = 0.5;
  double weight_variance = 10.0;
  double bias_variance = 1.3;
};

/// How a rule minimises its objective over the lengthscales.
struct LearnerConfig {
  std::string rule = "game";  // a name of src/learners/registry.cpp
  SolverKind solver = SolverKind::adam;
  StartRule start = StartRule::warm;
  ThetaTransform transform = ThetaTransform::softplus;
  double theta_min = 1e-2;
  double theta_max = 1e1;
  int adam_steps = 50;
  double adam_rate = 0.01;
  bool reset_moments = true;
  int restarts = 1;  // starts of one fit; with more than one, the further starts are log-uniform
};

/// When a model of many points learns its hyperparameters again. In between, the hyperparameters
/// stay the same and new observations are added to the model.
struct RefitConfig {
  double growth = 0.0;  // learn again after growth by this share; 0: before every query
  int after = 200;      // with at most this many points: before every query
};

/// The primal regret minimiser: follow the perturbed leader.
struct PrimalConfig {
  double exponent = 2.0;  // p of the calibration loss, 1 or 2
  InitialWeight initial_weight = InitialWeight::multiplier;
  FirstFit first = FirstFit::objective;
  PerturbedSpace perturbed_space = PerturbedSpace::theta;
  PerturbationLaw law = PerturbationLaw::normal;
  double perturbation_sd = 0.1;
};

/// The dual regret minimiser: online mirror descent on the multiplier.
struct DualConfig {
  MultiplierStart start = MultiplierStart::likelihood;
  double start_value = 1.0;  // used when start == number
  bool weight_after_update = false;
  double rate = 0.001;
  DualRegulariser regulariser = DualRegulariser::entropy;
  std::optional<double> clip;  // calibration loss clipped to [-1, clip] before it is used
};

/// The play/recovery switch.
struct RecoveryConfig {
  RecoveryMode mode = RecoveryMode::once;
  double sharpness_weight = 0.0;  // v in recovery
  RecoveryHistory history = RecoveryHistory::restart;
  std::optional<double> start_multiplier;  // default min(initial multiplier, 1)
  std::optional<double> primal_regret;     // R^P, default sqrt(T)
  std::optional<double> dual_regret;       // R^D, default sqrt(T)
  SlackClock slack_clock = SlackClock::current_round;
  double initial_violation = 0.0;
  double margin = 0.5;            // rho-hat
  double margin_horizon = 150.0;  // T in rho-tilde = max(rho-hat / 2, T^(-1/4))
};

/// The confidence width sqrt(beta_t): constant, or that of Theorem 1.
struct WidthConfig {
  WidthKind kind = WidthKind::constant;
  double norm_bound = 1.0;   // B: bound of the function's norm, in the units of y
  double noise_bound = 0.1;  // R: sub-Gaussian scale of the noise, in the units of y
};

/// A-GP-UCB: theta_t = max(theta_0 / g(t), floor).
struct ScheduleConfig {
  GrowthKind growth = GrowthKind::step;
  double growth_constant = 1.0;  // c of g(t) = max(c, t^a)
  double growth_exponent = 0.5;  // a of g(t)
  ScheduleClock clock = ScheduleClock::rounds;
  RuleWidth width = RuleWidth::fixed;
  double floor = 1e-4;  // also the floor of LB-GP-UCB
};

/// LB-GP-UCB: candidates theta_0 exp(-i/d), balanced by regret and eliminated by reward.
struct BalancingConfig {
  BalancingGrid grid = BalancingGrid::paper;
  AddRule add_rule = AddRule::schedule;
  AddCount add_per_round = AddCount::one;
  RegretForm regret_form = RegretForm::matern;
  bool norm_inflation = false;
  EliminationTest elimination = EliminationTest::paper;
  RuleWidth width = RuleWidth::fixed;
  BookkeepingSd sd = BookkeepingSd::latent;
  RewardScale reward_scale = RewardScale::current;
  int start_rounds = 5;  // t0
};

/// SCGP: a second Gaussian process for the spread, calibrated on held-out points.
struct SharpConfig {
  SplitRule split = SplitRule::each_round;
  double calibration_fraction = 0.2;
  ConditionOn condition = ConditionOn::all;
  bool spread_includes_noise = true;
  QuantileRule quantile = QuantileRule::linear;
  double multiplier_floor = 0.0;
  double adam_rate = 0.05;
  int adam_steps = 50;
  int restarts = 5;
};

/// OCBO: the confidence multiplier recalibrated on leave-one-out quantiles.
struct RecalibrationConfig {
  RecalibrationKind kind = RecalibrationKind::empirical;
  double rate = 1.0;            // step of the sequential quantile update
  std::optional<double> floor;  // of the multiplier
  bool refit_folds = false;     // learn the lengthscales again for every left-out point
};

/// VanillaBO: log-normal prior with location loc + log(d) / 2 on every lengthscale.
struct PriorConfig {
  double location = 1.4142135623730951;
  double scale = 1.7320508075688772;
  double deviation = 0.5;  // auto only: sd of the logarithms about their mean
  NoiseModel noise = NoiseModel::fixed;
};

/// auto: which part of the box a round searches, and when observations count as noisy. Improvements
/// and noise are measured in standard deviations of the observations.
struct AutoConfig {
  int near_best_every = 2;    // every n-th round searches near the best point; 0: no round does
  double locks_below = 5e-4;  // expected improvement at which a hill counts as climbed; 0: never
  int return_every = 5;       // with hills locked, every n-th round returns to the best one
  double noisy_above = 0.1;   // above this noise sd, every round uses the global model
  double noise_margin = 1.0;  // then a point must beat the best one by this many noise sds
};

struct AcquisitionConfig {
  AcquisitionKind kind = AcquisitionKind::ucb;
  SearchSolver solver = SearchSolver::lbfgsb;
  int raw_samples = 20;
  int local_samples = 0;  // further samples, close to the best point
  int restarts = 5;
  int max_iterations = 2000;
  BestValue best = BestValue::observed;  // the value that an improvement must beat
  int candidates = 512;                  // for Thompson sampling
};

struct DataConfig {
  StandardiseRule standardise = StandardiseRule::each_round;
  LossStatistics loss_statistics = LossStatistics::before;
  InputNormalisation inputs = InputNormalisation::bounds;
  DesignLaw design = DesignLaw::sobol;
  int initial_points = 10;
  double observation_noise_sd = 0.0;  // added to benchmark observations, in the task's units
};

struct Config {
  std::string method = "oscbo";
  int budget = 100;     // T: rounds after the initial design
  int threads = 0;      // for one operation on many points; 0: one thread per processor
  double memory = 8.0;  // GiB that a model may take, including the memory for learning it
  double beta = 2.0;
  double noise_variance = 0.01;  // of standardised observations
  double delta = 0.1;            // failure probability
  WidthConfig width;
  KernelConfig kernel;
  LearnerConfig learner;
  RefitConfig refit;
  PrimalConfig primal;
  DualConfig dual;
  RecoveryConfig recovery;
  ScheduleConfig schedule;
  BalancingConfig balancing;
  SharpConfig sharp;
  RecalibrationConfig recalibration;
  PriorConfig prior;
  AutoConfig automatic;
  AcquisitionConfig acquisition;
  DataConfig data;
};

struct MethodInfo {
  std::string name;
  std::string meaning;
};

/// methods lists the named methods in the order in which they are shown.
[[nodiscard]] std::vector<MethodInfo> methods();

/// method_config returns the configuration of the method `name`.
[[nodiscard]] Config method_config(std::string_view name);

struct OptionInfo {
  std::string name;           // "kernel.nu"
  std::string accepted;       // "0.5 | 1.5 | 2.5"
  std::string default_value;  // as it would be typed
  std::string meaning;        // one line
};

/// options lists every option. The default value shown is the one in `config`.
[[nodiscard]] std::vector<OptionInfo> options(const Config& config = {});

/// set_option parses `value` and assigns it. Throws Error (unknown_name, invalid_value) and leaves
/// `config` unchanged when name or value is not accepted.
void set_option(Config& config, std::string_view name, std::string_view value);

/// set_option does the same for a "name=value" string.
void set_option(Config& config, std::string_view assignment);

/// validate throws Error (invalid_value) naming the option when a value assigned directly is out of
/// range or two values contradict each other.
void validate(const Config& config);

}  // namespace oscbo
