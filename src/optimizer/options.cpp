// The one declaration of every option: name, where its value lives, what is accepted, one line of
// meaning. Parsing, validation, help and the reference page are visitors of it.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "oscbo/config.hpp"
#include "oscbo/error.hpp"

namespace oscbo {
namespace {

template <class Enum>
using Choices = std::initializer_list<std::pair<const char*, Enum>>;

struct Range {
  double low;
  double high;
};

constexpr double kAny = std::numeric_limits<double>::max();

/// Calls visitor.<kind>(name, value, accepted, meaning) for every option.
template <class Visitor>
void visit_options(Visitor& visitor, Config& c) {
  using enum MultiplierStart;
  visitor.integer("budget", c.budget, {1, 1e6}, "T: rounds after the initial design");
  visitor.number("beta", c.beta, {1e-12, 1e6},
                 "confidence width: intervals are mean +- sqrt(beta) sd");
  visitor.number("noise_variance", c.noise_variance, {1e-18, 1e3},
                 "variance of the noise on standardised observations");

  visitor.choice("kernel", c.kernel.family,
                 {{"matern", KernelFamily::matern},
                  {"rbf", KernelFamily::rbf},
                  {"ibnn", KernelFamily::network}},
                 "kernel family; ibnn is that of an infinitely wide Bayesian neural network");
  visitor.one_of("kernel.nu", c.kernel.nu, {0.5, 1.5, 2.5}, "smoothness of the Matern kernel");
  visitor.flag("kernel.ard", c.kernel.ard, "one lengthscale per parameter instead of one for all");
  visitor.integer("kernel.depth", c.kernel.depth, {1, 20}, "hidden layers of the ibnn kernel");
  visitor.choice("kernel.activation", c.kernel.activation,
                 {{"relu", Activation::relu}, {"erf", Activation::erf}},
                 "activation of the ibnn kernel");
  visitor.flag("kernel.normalised", c.kernel.normalised,
               "divide the ibnn kernel by its largest variance over the box");

  visitor.choice("learner", c.learner.rule,
                 {{"game", LengthscaleRuleKind::game}, {"mll", LengthscaleRuleKind::likelihood}},
                 "lengthscale rule: sharpness-calibration game or marginal likelihood");
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

  visitor.one_of("ftpl.p", c.primal.exponent, {1.0, 2.0}, "exponent of the calibration loss");
  visitor.integer("ftpl.steps", c.learner.adam_steps, {1, 1e6}, "Adam steps per fit, of any rule");
  visitor.number("ftpl.lr", c.learner.adam_rate, {1e-9, 1e3}, "Adam learning rate, of any rule");
  visitor.flag("ftpl.reset_moments", c.learner.reset_moments, "forget Adam's moments between fits");
  visitor.integer("ftpl.restarts", c.learner.restarts, {1, 1000},
                  "starts of one fit, of any rule; exact needs none for one lengthscale");
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
  visitor.number("delta", c.recovery.delta, {1e-12, 1}, "failure probability");

  visitor.choice("acquisition", c.acquisition.kind, {{"ucb", AcquisitionKind::ucb}},
                 "acquisition function");
  visitor.integer("acquisition.raw_samples", c.acquisition.raw_samples, {1, 1e6},
                  "Sobol points at which the search starts");
  visitor.integer("acquisition.restarts", c.acquisition.restarts, {1, 1e6},
                  "of these, followed by L-BFGS-B");
  visitor.integer("acquisition.max_iterations", c.acquisition.max_iterations, {1, 1e6},
                  "iterations of one search");

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
                 "statistics that standardise y in its losses: before or after it was told");
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
  if (range.high == kAny) return fmt::format("{} >= {}", kind, range.low);
  return fmt::format("{} in [{}, {}]", kind, range.low, range.high);
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
    if (!(number >= range.low && number <= range.high)) return std::nullopt;
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
  // Every value of these types is accepted.
  void flag(const char* /*name*/, bool& /*value*/, const char* /*meaning*/) {}
  void zero_or_one(const char* /*name*/, bool& /*value*/, const char* /*meaning*/) {}
  template <class Enum>
  void choice(const char* /*name*/, Enum& /*value*/, Choices<Enum> /*choices*/,
              const char* /*meaning*/) {}

 private:
  static void check(const char* name, double value, Range range, const char* kind) {
    if (!(value >= range.low && value <= range.high)) refuse(name, value, describe(kind, range));
  }
  [[noreturn]] static void refuse(const char* name, double value, const std::string& accepted) {
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

void validate(const Config& config) {
  Config copy = config;
  Checker checker;
  visit_options(checker, copy);
  if (config.learner.theta_min >= config.learner.theta_max) {
    throw Error(ErrorCode::invalid_value, "theta.min",
                fmt::format("{} must be below theta.max {}", config.learner.theta_min,
                            config.learner.theta_max));
  }
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
