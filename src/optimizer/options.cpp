// Declares every option once: its name, where its value lives, what is accepted, and one line of
// meaning. Parsing, validation, help and the reference page visit this declaration.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "model/registry.hpp"
#include "optimizer/initial_design.hpp"
#include "oscbo/config.hpp"
#include "oscbo/error.hpp"

namespace oscbo {
namespace {

template <class Enum>
using Choices = std::initializer_list<std::pair<const char*, Enum>>;

enum class Ends { closed, open };

struct Range {
  double low;
  double high;
  Ends ends = Ends::closed;

  [[nodiscard]] bool contains(double number) const {
    return ends == Ends::closed ? number >= low && number <= high : number > low && number < high;
  }
};

constexpr double kAny = std::numeric_limits<double>::max();

using Names = std::vector<std::string>;

Names model_names() {
  Names names;
  for (const model::ModelInfo& model : model::models()) names.push_back(model.name);
  return names;
}

/// visit_options calls visitor.<kind>(name, value, accepted, meaning) for every option.
template <class Visitor>
void visit_options(Visitor& visitor, Config& c) {
  using enum MultiplierStart;
  visitor.integer("budget", c.budget, {1, 1e6}, "T: rounds after the initial design");
  visitor.integer("threads", c.threads, {0, 1024},
                  "threads for operations on hundreds of points; 0: one per processor");
  visitor.number("memory", c.memory, {1e-3, 1e6},
                 "GiB that a model may take; an ask that needs more is refused");
  visitor.number("beta", c.beta, {1e-12, 1e6},
                 "confidence width: intervals are mean +- sqrt(beta) sd");
  visitor.number("noise_variance", c.noise_variance, {1e-18, 1e3},
                 "variance of the noise on standardised observations");
  visitor.number("delta", c.delta, {0, 1, Ends::open}, "failure probability");
  visitor.choice("width", c.width.kind,
                 {{"constant", WidthKind::constant}, {"theory", WidthKind::theory}},
                 "confidence width: beta as given, or beta_t of Theorem 1");
  visitor.number("width.B", c.width.norm_bound, {0, 1e100, Ends::open},
                 "bound of the function's norm, in the units of y");
  visitor.number("width.R", c.width.noise_bound, {0, 1e100, Ends::open},
                 "sub-Gaussian scale of the noise, in the units of y");

  visitor.choice("kernel", c.kernel.family,
                 {{"matern", KernelFamily::matern},
                  {"rbf", KernelFamily::rbf},
                  {"ibnn", KernelFamily::network}},
                 "kernel family; ibnn: an infinitely wide Bayesian neural network");
  visitor.number("kernel.nu", c.kernel.nu, {0.01, 1e5}, "smoothness of the Matern kernel");
  visitor.flag("kernel.ard", c.kernel.ard, "one lengthscale per parameter instead of one for all");
  visitor.flag("kernel.additive", c.kernel.additive,
               "add functions of single parameters to the kernel (auto, with kernel.ard)");
  visitor.integer("kernel.depth", c.kernel.depth, {1, 20}, "hidden layers of the ibnn kernel");
  visitor.choice("kernel.activation", c.kernel.activation,
                 {{"relu", Activation::relu}, {"erf", Activation::erf}},
                 "activation of the ibnn kernel");
  visitor.flag("kernel.normalised", c.kernel.normalised,
               "divide the ibnn kernel by its largest variance over the box");
  visitor.number("kernel.lengthscale", c.kernel.lengthscale, {1e-6, 1e6},
                 "lengthscale of learner=fixed; other learners learn theirs");
  visitor.number("kernel.weight_variance", c.kernel.weight_variance, {1e-6, 1e6},
                 "of the ibnn kernel with learner=fixed");
  visitor.number("kernel.bias_variance", c.kernel.bias_variance, {1e-6, 1e6},
                 "of the ibnn kernel with learner=fixed");

  visitor.name("learner", c.learner.rule, model_names(), "lengthscale rule, see docs/methods.md");
  visitor.choice("learner.solver", c.learner.solver,
                 {{"adam", SolverKind::adam}, {"exact", SolverKind::exact}},
                 "inner solver: the paper's Adam steps, or the global minimum");
  visitor.choice(
      "fit.start", c.learner.start,
      {{"warm", StartRule::warm}, {"cold", StartRule::cold}, {"mll", StartRule::likelihood}},
      "start of a fit: previous lengthscale, ln 2, or (game) a likelihood fit");
  visitor.number("theta.min", c.learner.theta_min, {1e-6, 1e6}, "smallest lengthscale");
  visitor.number("theta.max", c.learner.theta_max, {1e-6, 1e6}, "largest lengthscale");
  visitor.choice("theta.param", c.learner.transform,
                 {{"softplus", ThetaTransform::softplus},
                  {"log", ThetaTransform::log},
                  {"clamp", ThetaTransform::clamp}},
                 "coordinates in which Adam moves");
  visitor.number("refit.growth", c.refit.growth, {0, 10},
                 "learn again after growth by this share, or when drift shows; 0: always");
  visitor.integer("refit.after", c.refit.after, {1, 1e6},
                  "with at most this many points, learn before every query");

  visitor.one_of("ftpl.p", c.primal.exponent, {1.0, 2.0}, "exponent of the calibration loss");
  visitor.integer("ftpl.steps", c.learner.adam_steps, {1, 1e6},
                  "Adam steps per fit, for every rule");
  visitor.number("ftpl.lr", c.learner.adam_rate, {1e-9, 1e3}, "Adam learning rate, for every rule");
  visitor.flag("ftpl.reset_moments", c.learner.reset_moments, "forget Adam's moments between fits");
  visitor.integer("ftpl.restarts", c.learner.restarts, {1, 1000},
                  "starts of one fit, for every rule; exact needs one for one lengthscale");
  visitor.choice("ftpl.init", c.primal.initial_weight,
                 {{"weight_lambda0", InitialWeight::multiplier},
                  {"weight_zero", InitialWeight::zero},
                  {"exclude", InitialWeight::exclude},
                  {"prior_only", InitialWeight::prior_only}},
                 "how the initial design enters the leader's sum");
  visitor.choice("ftpl.first", c.primal.first,
                 {{"J_on_D0", FirstFit::objective},
                  {"mll_on_D0", FirstFit::likelihood},
                  {"fixed", FirstFit::fixed}},
                 "lengthscale of the first round");
  visitor.choice("ftpl.perturb", c.primal.perturbed_space,
                 {{"theta", PerturbedSpace::theta}, {"raw", PerturbedSpace::raw}},
                 "what the perturbation multiplies");
  visitor.choice(
      "ftpl.dist", c.primal.law,
      {{"normal", PerturbationLaw::normal}, {"exponential", PerturbationLaw::exponential}},
      "law of the perturbation");
  visitor.number("ftpl.sd", c.primal.perturbation_sd, {0, 1e6},
                 "scale of the perturbation: sd, or mean if exponential");

  visitor.choice_or_number("dual.lambda0", c.dual.start, number, c.dual.start_value, {1e-12, 1e6},
                           {{"mll", likelihood}, {"one", one}, {"cap", cap}},
                           "first multiplier; mll = beta / log(1 + 1/noise_variance)");
  visitor.number("dual.lr", c.dual.rate, {0, 1e3}, "step size of the multiplier");
  visitor.choice("dual.regulariser", c.dual.regulariser,
                 {{"entropy", DualRegulariser::entropy}, {"euclidean", DualRegulariser::euclidean}},
                 "mirror map of the multiplier");
  visitor.zero_or_one("dual.shift", c.dual.weight_after_update,
                      "weigh a point by the multiplier before (0) or after (1) its own update");
  visitor.optional_number("dual.clip_lc", c.dual.clip, "none", {-1, kAny},
                          "clip calibration losses to [-1, c] before use");

  visitor.choice("rec.mode", c.recovery.mode,
                 {{"once", RecoveryMode::once},
                  {"literal", RecoveryMode::literal},
                  {"off", RecoveryMode::off}},
                 "play/recovery switch: once for good, at every round beyond the limit, never");
  visitor.number("rec.v", c.recovery.sharpness_weight, {0, 1}, "weight of sharpness in recovery");
  visitor.choice("rec.history", c.recovery.history,
                 {{"restart", RecoveryHistory::restart}, {"keep", RecoveryHistory::keep}},
                 "whether recovery forgets earlier rounds");
  visitor.optional_number("rec.lambda0", c.recovery.start_multiplier, "default", {1e-12, 1},
                          "first multiplier of recovery; default min(lambda0, 1)");
  visitor.optional_number("rec.RP", c.recovery.primal_regret, "sqrt_T", {0, kAny},
                          "primal regret bound in the slack");
  visitor.optional_number("rec.RD", c.recovery.dual_regret, "sqrt_T", {0, kAny},
                          "dual regret bound in the slack");
  visitor.choice("rec.E", c.recovery.slack_clock,
                 {{"t", SlackClock::current_round}, {"T", SlackClock::budget}},
                 "time in the concentration term of the slack");
  visitor.number("rec.V_init", c.recovery.initial_violation, {-kAny, kAny},
                 "violation before the first round");
  visitor.number("rho.hat", c.recovery.margin, {1e-6, 1}, "feasibility margin");
  visitor.number("rho.T", c.recovery.margin_horizon, {1, kAny},
                 "T in the effective margin max(rho.hat/2, T^(-1/4))");

  visitor.choice(
      "agp.g", c.schedule.growth,
      {{"oscbo", GrowthKind::step}, {"power", GrowthKind::power}, {"t^0.9", GrowthKind::fast}},
      "growth g(t): 1 up to t = 5 then sqrt(t); max(c, t^a); max(1, t^0.9)");
  visitor.number("agp.c", c.schedule.growth_constant, {1, 1e6}, "c of the growth max(c, t^a)");
  visitor.number("agp.a", c.schedule.growth_exponent, {0, 10}, "a of the growth max(c, t^a)");
  visitor.choice("agp.t_counts", c.schedule.clock,
                 {{"bo", ScheduleClock::rounds}, {"calls", ScheduleClock::calls}},
                 "what t counts: rounds, or evaluations with the initial design");
  visitor.choice("agp.beta", c.schedule.width,
                 {{"fixed", RuleWidth::fixed}, {"theory", RuleWidth::theory}},
                 "confidence multiplier: from width, or A-GP-UCB's own");
  visitor.number("schedule.floor", c.schedule.floor, {1e-6, 1e6},
                 "smallest lengthscale of A-GP-UCB and LB-GP-UCB");

  visitor.choice("lb.grid", c.balancing.grid,
                 {{"paper", BalancingGrid::paper}, {"code", BalancingGrid::code}},
                 "ratio of neighbouring candidates: exp(1/d), or exp(1/(d + 2 nu))");
  visitor.choice("lb.add_rule", c.balancing.add_rule,
                 {{"schedule", AddRule::schedule}, {"literal", AddRule::literal}},
                 "add a candidate once it is at least theta_0/g(t), or at most (as printed)");
  visitor.choice("lb.add_per_round", c.balancing.add_per_round,
                 {{"one", AddCount::one}, {"all", AddCount::all}}, "candidates added in a round");
  visitor.choice("lb.regret_form", c.balancing.regret_form,
                 {{"matern", RegretForm::matern}, {"rbf", RegretForm::rbf}},
                 "information gain in the suspected regret");
  visitor.flag("lb.norm_inflation", c.balancing.norm_inflation,
               "let the norm bound grow as (theta_0/theta)^(d/2)");
  visitor.choice("lb.elim", c.balancing.elimination,
                 {{"paper", EliminationTest::paper}, {"code", EliminationTest::code}},
                 "elimination test: 2 beta sd - sqrt(xi/|S|), or beta sd + sqrt(xi/|S|)");
  visitor.choice("lb.beta", c.balancing.width,
                 {{"fixed", RuleWidth::fixed}, {"theory", RuleWidth::theory}},
                 "confidence multiplier: from width, or LB-GP-UCB's own");
  visitor.choice("lb.sigma", c.balancing.sd,
                 {{"latent", BookkeepingSd::latent}, {"with_noise", BookkeepingSd::with_noise}},
                 "standard deviation in the elimination test");
  visitor.choice("lb.y_scale", c.balancing.reward_scale,
                 {{"current", RewardScale::current}, {"raw", RewardScale::raw}},
                 "standardise rewards with the current statistics, or with those when first seen");
  visitor.integer("lb.t0", c.balancing.start_rounds, {1, 1e6},
                  "g(t) = 1 up to t0, then max(t0, sqrt(t))");

  visitor.choice("scgp.split", c.sharp.split,
                 {{"each_round", SplitRule::each_round}, {"per_seed", SplitRule::per_seed}},
                 "when the calibration points are drawn");
  visitor.number("scgp.fraction", c.sharp.calibration_fraction, {0, 1, Ends::open},
                 "fraction of the points held out for calibration");
  visitor.choice("scgp.condition", c.sharp.condition,
                 {{"all", ConditionOn::all}, {"train", ConditionOn::training}},
                 "points that the model of the acquisition is conditioned on");
  visitor.flag("scgp.acq_noise", c.sharp.spread_includes_noise,
               "the acquisition's standard deviation includes the noise");
  visitor.choice("scgp.quantile", c.sharp.quantile,
                 {{"linear", QuantileRule::linear}, {"conformal", QuantileRule::conformal}},
                 "quantile of the standardised residuals");
  visitor.number("scgp.beta_floor", c.sharp.multiplier_floor, {-kAny, kAny},
                 "smallest confidence multiplier");
  visitor.number("scgp.lr", c.sharp.adam_rate, {1e-9, 1e3},
                 "Adam learning rate of the calibration lengthscale");
  visitor.integer("scgp.steps", c.sharp.adam_steps, {1, 1e6},
                  "Adam steps of the calibration lengthscale");
  visitor.integer("scgp.restarts", c.sharp.restarts, {1, 1000},
                  "starts of the calibration lengthscale");

  visitor.choice(
      "ocbo.update", c.recalibration.kind,
      {{"empirical", RecalibrationKind::empirical}, {"sequential", RecalibrationKind::sequential}},
      "calibrated level: empirical quantile, or an online update of one");
  visitor.number("ocbo.eta", c.recalibration.rate, {0, 1e3}, "step of the sequential update");
  visitor.optional_number("ocbo.floor", c.recalibration.floor, "none", {-kAny, kAny},
                          "smallest confidence multiplier");
  visitor.flag("ocbo.loo_refit", c.recalibration.refit_folds,
               "learn the lengthscales again for every left-out point");

  visitor.number("prior.location", c.prior.location, {-1e3, 1e3},
                 "mean of the log of a lengthscale, before log(d)/2 is added");
  visitor.number("prior.scale", c.prior.scale, {0, 1e3, Ends::open},
                 "sd of the log of a lengthscale");
  visitor.number("prior.deviation", c.prior.deviation, {0, 1e3, Ends::open},
                 "auto only: sd of the logs of the lengthscales about their mean");
  visitor.choice("prior.noise", c.prior.noise,
                 {{"fixed", NoiseModel::fixed}, {"learned", NoiseModel::learned}},
                 "noise variance: noise_variance, or learned with a prior");

  visitor.integer("auto.near_best_every", c.automatic.near_best_every, {0, 1e6},
                  "every n-th round searches near the best point; 0: no round does");
  visitor.number("auto.locks_below", c.automatic.locks_below, {0, 1e3},
                 "expected improvement, in sd of y, at which a hill counts as climbed");
  visitor.integer("auto.return_every", c.automatic.return_every, {1, 1e6},
                  "with hills locked, every n-th round returns to the best one");
  visitor.number("auto.noisy_above", c.automatic.noisy_above, {0, 1e3},
                 "above this noise sd, in sd of y, every round uses the global model");
  visitor.number("auto.noise_margin", c.automatic.noise_margin, {0, 1e3},
                 "then a point must beat the best one by this many noise sds");

  visitor.choice("acquisition", c.acquisition.kind,
                 {{"ucb", AcquisitionKind::ucb},
                  {"logei", AcquisitionKind::logei},
                  {"ei", AcquisitionKind::ei},
                  {"pi", AcquisitionKind::pi},
                  {"thompson", AcquisitionKind::thompson},
                  {"random", AcquisitionKind::random},
                  {"sobol", AcquisitionKind::sobol}},
                 "acquisition function");
  visitor.integer("acquisition.raw_samples", c.acquisition.raw_samples, {1, 1e6},
                  "Sobol points at which the search starts");
  visitor.integer("acquisition.local_samples", c.acquisition.local_samples, {0, 1e6},
                  "further start points close to the best point");
  visitor.integer("acquisition.restarts", c.acquisition.restarts, {1, 1e6},
                  "start points from which a local search runs");
  visitor.choice("acquisition.solver", c.acquisition.solver,
                 {{"lbfgsb", SearchSolver::lbfgsb}, {"bfgs", SearchSolver::bfgs}},
                 "local search: L-BFGS-B as in the paper, or projected BFGS");
  visitor.integer("acquisition.max_iterations", c.acquisition.max_iterations, {1, 1e6},
                  "iterations of one search");
  visitor.choice("acquisition.best", c.acquisition.best,
                 {{"observed", BestValue::observed}, {"fitted", BestValue::fitted}},
                 "value to improve on: the best observation, or the best fitted mean");
  visitor.integer("acquisition.candidates", c.acquisition.candidates, {2, 4096},
                  "points at which Thompson sampling draws the function");

  visitor.integer("init.points", c.data.initial_points, {1, 1e4},
                  "points before the model is used");
  visitor.choice(
      "init.law", c.data.design,
      {{"sobol", DesignLaw::sobol}, {"uniform", DesignLaw::uniform}, {"lhs", DesignLaw::lhs}},
      "law of the initial design");
  visitor.choice("y.standardise", c.data.standardise,
                 {{"each_round", StandardiseRule::each_round},
                  {"initial_only", StandardiseRule::initial_only},
                  {"none", StandardiseRule::none}},
                 "when observations are standardised");
  visitor.choice("lc.stats", c.data.loss_statistics,
                 {{"before", LossStatistics::before}, {"after", LossStatistics::after}},
                 "statistics that standardise y in its losses: before or after the tell");
  visitor.choice("x.normalise", c.data.inputs,
                 {{"bounds", InputNormalisation::bounds}, {"data", InputNormalisation::data}},
                 "inputs scaled by the bounds or by the range of the data");
  visitor.number("obs.noise_sd", c.data.observation_noise_sd, {0, 1e6},
                 "noise added to benchmark observations, in the task's units");
}

std::string join(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

template <class Enum>
std::vector<std::string> names_of(const Choices<Enum>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) names.emplace_back(name);
  return names;
}

template <class Enum>
std::string name_of(Enum value, const Choices<Enum>& choices) {
  for (const auto& [name, candidate] : choices) {
    if (candidate == value) return name;
  }
  return "?";
}

std::string describe(const char* kind, Range range) {
  if (range.low == -kAny) return fmt::format("a finite {}", kind);
  const bool open = range.ends == Ends::open;
  if (range.high == kAny) return fmt::format("{} {} {}", kind, open ? ">" : ">=", range.low);
  return fmt::format(fmt::runtime(open ? "{} in ({}, {})" : "{} in [{}, {}]"), kind, range.low,
                     range.high);
}

std::string describe(std::initializer_list<double> values) {
  return fmt::format("{}", fmt::join(values, " | "));
}

/// Collects the declarations for help and documentation.
class Lister {
 public:
  void integer(const char* name, int& value, Range range, const char* meaning) {
    add(name, describe("integer", range), fmt::format("{}", value), meaning);
  }
  void number(const char* name, double& value, Range range, const char* meaning) {
    add(name, describe("number", range), fmt::format("{}", value), meaning);
  }
  void flag(const char* name, bool& value, const char* meaning) {
    add(name, "true | false", value ? "true" : "false", meaning);
  }
  void zero_or_one(const char* name, bool& value, const char* meaning) {
    add(name, "0 | 1", value ? "1" : "0", meaning);
  }
  void one_of(const char* name, double& value, std::initializer_list<double> values,
              const char* meaning) {
    add(name, describe(values), fmt::format("{}", value), meaning);
  }
  void name(const char* name, std::string& value, const Names& names, const char* meaning) {
    add(name, join(names, " | "), value, meaning);
  }
  template <class Enum>
  void choice(const char* name, Enum& value, Choices<Enum> choices, const char* meaning) {
    add(name, join(names_of(choices), " | "), name_of(value, choices), meaning);
  }
  template <class Enum>
  void choice_or_number(const char* name, Enum& value, Enum is_number, double& number, Range range,
                        Choices<Enum> choices, const char* meaning) {
    add(name, join(names_of(choices), " | ") + " | " + describe("number", range),
        value == is_number ? fmt::format("{}", number) : name_of(value, choices), meaning);
  }
  void optional_number(const char* name, std::optional<double>& value, const char* none,
                       Range range, const char* meaning) {
    add(name, std::string(none) + " | " + describe("number", range),
        value ? fmt::format("{}", *value) : none, meaning);
  }

  std::vector<OptionInfo> take() { return std::move(list_); }

 private:
  void add(std::string name, std::string accepted, std::string value, std::string meaning) {
    list_.push_back({.name = std::move(name),
                     .accepted = std::move(accepted),
                     .default_value = std::move(value),
                     .meaning = std::move(meaning)});
  }

  std::vector<OptionInfo> list_;
};

/// Assigns one option from text.
class Assigner {
 public:
  Assigner(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  void integer(const char* name, int& value, Range range, const char* /*meaning*/) {
    if (!matches(name)) return;
    const std::optional<double> number = parse(range);
    if (!number || *number != std::floor(*number)) refuse(describe("integer", range));
    value = static_cast<int>(*number);
  }
  void number(const char* name, double& value, Range range, const char* /*meaning*/) {
    if (!matches(name)) return;
    const std::optional<double> number = parse(range);
    if (!number) refuse(describe("number", range));
    value = *number;
  }
  void flag(const char* name, bool& value, const char* /*meaning*/) {
    choice<bool>(name, value, {{"true", true}, {"false", false}}, "");
  }
  void zero_or_one(const char* name, bool& value, const char* /*meaning*/) {
    choice<bool>(name, value, {{"0", false}, {"1", true}}, "");
  }
  void one_of(const char* name, double& value, std::initializer_list<double> values,
              const char* /*meaning*/) {
    if (!matches(name)) return;
    const std::optional<double> number = parse({-kAny, kAny});
    if (!number || std::find(values.begin(), values.end(), *number) == values.end()) {
      refuse(describe(values));
    }
    value = *number;
  }
  void name(const char* name, std::string& value, const Names& names, const char* /*meaning*/) {
    if (!matches(name)) return;
    if (std::find(names.begin(), names.end(), text_) == names.end()) refuse(join(names, " | "));
    value = text_;
  }
  template <class Enum>
  void choice(const char* name, Enum& value, Choices<Enum> choices, const char* /*meaning*/) {
    if (!matches(name)) return;
    if (!assign_word(value, choices)) refuse(join(names_of(choices), " | "));
  }
  template <class Enum>
  void choice_or_number(const char* name, Enum& value, Enum is_number, double& number, Range range,
                        Choices<Enum> choices, const char* /*meaning*/) {
    if (!matches(name) || assign_word(value, choices)) return;
    const std::optional<double> parsed = parse(range);
    if (!parsed) refuse(join(names_of(choices), " | ") + " | " + describe("number", range));
    value = is_number;
    number = *parsed;
  }
  void optional_number(const char* name, std::optional<double>& value, const char* none,
                       Range range, const char* /*meaning*/) {
    if (!matches(name)) return;
    const std::optional<double> parsed = parse(range);
    if (!parsed && text_ != none) refuse(std::string(none) + " | " + describe("number", range));
    value = parsed;
  }

  [[nodiscard]] bool found() const { return found_; }

 private:
  bool matches(const char* name) {
    if (name_ != name) return false;
    found_ = true;
    return true;
  }

  [[nodiscard]] std::optional<double> parse(Range range) const {
    double number = 0.0;
    const char* end = text_.data() + text_.size();
    const auto [rest, status] = std::from_chars(text_.data(), end, number);
    if (status != std::errc() || rest != end) return std::nullopt;
    if (!range.contains(number)) return std::nullopt;
    return number;
  }

  template <class Enum>
  bool assign_word(Enum& value, const Choices<Enum>& choices) const {
    for (const auto& [word, candidate] : choices) {
      if (text_ != word) continue;
      value = candidate;
      return true;
    }
    return false;
  }

  [[noreturn]] void refuse(const std::string& accepted) const {
    throw Error(ErrorCode::invalid_value, std::string(name_),
                fmt::format("'{}' is not accepted; use {}", text_, accepted));
  }

  std::string_view name_;
  std::string_view text_;
  bool found_ = false;
};

/// Refuses values that were assigned without being parsed.
class Checker {
 public:
  void integer(const char* name, int& value, Range range, const char* /*meaning*/) {
    check(name, value, range, "integer");
  }
  void number(const char* name, double& value, Range range, const char* /*meaning*/) {
    check(name, value, range, "number");
  }
  void one_of(const char* name, double& value, std::initializer_list<double> values,
              const char* /*meaning*/) {
    if (std::find(values.begin(), values.end(), value) == values.end()) {
      refuse(name, value, describe(values));
    }
  }
  template <class Enum>
  void choice_or_number(const char* name, Enum& value, Enum is_number, double& number, Range range,
                        Choices<Enum> /*choices*/, const char* /*meaning*/) {
    if (value == is_number) check(name, number, range, "number");
  }
  void optional_number(const char* name, std::optional<double>& value, const char* /*none*/,
                       Range range, const char* /*meaning*/) {
    if (value) check(name, *value, range, "number");
  }
  void name(const char* name, std::string& value, const Names& names, const char* /*meaning*/) {
    if (std::find(names.begin(), names.end(), value) == names.end()) {
      refuse(name, '\'' + value + '\'', join(names, " | "));
    }
  }
  // Every value of these types is accepted.
  void flag(const char* /*name*/, bool& /*value*/, const char* /*meaning*/) {}
  void zero_or_one(const char* /*name*/, bool& /*value*/, const char* /*meaning*/) {}
  template <class Enum>
  void choice(const char* /*name*/, Enum& /*value*/, Choices<Enum> /*choices*/,
              const char* /*meaning*/) {}

 private:
  static void check(const char* name, double value, Range range, const char* kind) {
    if (!range.contains(value)) refuse(name, value, describe(kind, range));
  }
  template <class Value>
  [[noreturn]] static void refuse(const char* name, const Value& value,
                                  const std::string& accepted) {
    throw Error(ErrorCode::invalid_value, name,
                fmt::format("{} is not accepted; use {}", value, accepted));
  }
};

}  // namespace

std::vector<OptionInfo> options(const Config& config) {
  Config copy = config;
  Lister lister;
  visit_options(lister, copy);
  return lister.take();
}

void set_option(Config& config, std::string_view name, std::string_view value) {
  Config changed = config;
  Assigner assigner(name, value);
  visit_options(assigner, changed);
  if (!assigner.found()) {
    throw Error(ErrorCode::unknown_name, name.empty() ? "--set" : std::string(name),
                fmt::format("'{}' is not an option; `oscbo options` lists them", name));
  }
  config = std::move(changed);
}

namespace {

[[noreturn]] void refuse_combination(const char* option, const std::string& why) {
  throw Error(ErrorCode::invalid_value, option, why);
}

/// check_learns_everything refuses options that do not fit a model that also learns location and
/// scale, and whose prior on lengthscales refers to the box.
void check_learns_everything(const Config& config, const model::ModelInfo& model) {
  const auto need = [&](bool holds, const char* option, const char* what) {
    if (!holds) refuse_combination(option, fmt::format("learner={} needs {}", model.name, what));
  };
  need(config.kernel.ard, "kernel.ard", "kernel.ard=true");
  need(config.dual.regulariser == DualRegulariser::entropy, "dual.regulariser",
       "dual.regulariser=entropy: its multiplier must stay positive");
  need(config.width.kind == WidthKind::constant, "width", "width=constant");
  need(config.data.inputs == InputNormalisation::bounds, "x.normalise", "x.normalise=bounds");
  need(config.data.loss_statistics == LossStatistics::before, "lc.stats", "lc.stats=before");
}

void check_kernel(const Config& config, const model::ModelInfo& model) {
  const bool is_network = config.kernel.family == KernelFamily::network;
  if (is_network && !model.traits.accepts_other_kernels) {
    refuse_combination("kernel", fmt::format("ibnn is not accepted with learner={}, which knows "
                                             "lengthscales only",
                                             model.name));
  }
  if (config.kernel.additive &&
      !(config.kernel.ard && model.traits.learns_everything && !is_network)) {
    refuse_combination("kernel.additive",
                       "true needs learner=auto, kernel.ard=true and a kernel with lengthscales");
  }
  if (model.traits.learns_everything) check_learns_everything(config, model);
  if (!config.kernel.ard) return;
  if (is_network) {
    refuse_combination("kernel.ard",
                       "true is not accepted with kernel=ibnn, which has no lengthscales");
  }
  if (!model.traits.accepts_ard) {
    refuse_combination("kernel.ard", fmt::format("true is not accepted with learner={}, which has "
                                                 "one lengthscale for all parameters",
                                                 model.name));
  }
  if (is_control(config.acquisition.kind) && !model.traits.learns_everything) {
    refuse_combination("kernel.ard",
                       "true is not accepted with acquisition=random and acquisition=sobol, which "
                       "have no model");
  }
}

void check_theory(const Config& config) {
  if (config.data.standardise != StandardiseRule::none) {
    refuse_combination("width",
                       "theory needs y.standardise=none: width.B and width.R are in the "
                       "units of y");
  }
  if (config.data.inputs != InputNormalisation::bounds) {
    refuse_combination("width", "theory needs x.normalise=bounds: the kernel must stay the same");
  }
  if (config.prior.noise == NoiseModel::learned) {
    refuse_combination("width", "theory needs prior.noise=fixed: it is about a known noise");
  }
  if (config.kernel.family == KernelFamily::network && !config.kernel.normalised) {
    refuse_combination("width", "theory with kernel=ibnn needs kernel.normalised=true");
  }
  if (config.kernel.family == KernelFamily::network &&
      !model::model_of(config).traits.kernel_is_known) {
    refuse_combination("width",
                       "theory with kernel=ibnn needs learner=fixed: covering numbers are known "
                       "of lengthscales only");
  }
}

void check_composition(const Config& config) {
  if (config.learner.theta_min >= config.learner.theta_max) {
    refuse_combination("theta.min",
                       fmt::format("{} must be below theta.max {}", config.learner.theta_min,
                                   config.learner.theta_max));
  }
  check_kernel(config, model::model_of(config));
  if (config.width.kind == WidthKind::theory) check_theory(config);
}

}  // namespace

void validate(const Config& config) {
  Config copy = config;
  Checker checker;
  visit_options(checker, copy);
  check_composition(config);
}

void set_option(Config& config, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw Error(ErrorCode::invalid_value, "--set",
                fmt::format("'{}' is not accepted; use name=value", assignment));
  }
  set_option(config, assignment.substr(0, equals), assignment.substr(equals + 1));
}

}  // namespace oscbo
