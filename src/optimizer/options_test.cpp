#include "oscbo/options.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gp/kernel_options.hpp"
#include "learners/recalibration_options.hpp"
#include "model/auto_options.hpp"
#include "online/game_options.hpp"
#include "online/schedule_options.hpp"
#include "online/width_options.hpp"
#include "optimizer/optimizer_test_support.hpp"

namespace oscbo {
namespace {

using Assignment = std::pair<std::string, std::string>;

/// settings returns every option with its value. Configurations with equal settings are equal.
std::vector<Assignment> settings(const Config& config) {
  std::vector<Assignment> result;
  for (const OptionInfo& option : options(config)) {
    result.emplace_back(option.name, option.default_value);
  }
  return result;
}

/// accepted_words returns the words among the accepted values: "a | b | number >= 0" has a and b.
std::vector<std::string> accepted_words(const OptionInfo& option) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin <= option.accepted.size()) {
    const std::size_t end = std::min(option.accepted.find(" | ", begin), option.accepted.size());
    const std::string word = option.accepted.substr(begin, end - begin);
    if (word.find(' ') == std::string::npos) words.push_back(word);
    begin = end + 3;
  }
  return words;
}

/// Numbers that each numeric option accepts: the ends of its range if a run can handle them.
const std::vector<Assignment> kNumbers = {
    {"budget", "1"},
    {"budget", "1000000"},
    {"threads", "1"},
    {"threads", "1024"},
    {"memory", "0.001"},
    {"memory", "64"},
    {"refit.growth", "0.1"},
    {"refit.growth", "10"},
    {"refit.after", "10"},
    {"refit.after", "1000000"},
    {"beta", "1e-12"},
    {"beta", "1e6"},
    {"noise_variance", "1e-12"},
    {"noise_variance", "1e3"},
    {"kernel.depth", "1"},
    {"kernel.depth", "20"},
    {"theta.min", "1e-6"},
    {"theta.min", "5"},
    {"theta.max", "0.02"},
    {"theta.max", "1e6"},
    {"ftpl.steps", "1"},
    {"ftpl.steps", "200"},
    {"ftpl.lr", "1e-9"},
    {"ftpl.lr", "1e3"},
    {"ftpl.restarts", "3"},
    {"ftpl.sd", "0"},
    {"ftpl.sd", "1e6"},
    {"dual.lambda0", "1e-12"},
    {"dual.lambda0", "1e6"},
    {"dual.lr", "0"},
    {"dual.lr", "1e3"},
    {"dual.clip_lc", "-1"},
    {"dual.clip_lc", "1"},
    {"dual.clip_lc", "1e308"},
    {"rec.v", "0"},
    {"rec.v", "1"},
    {"rec.lambda0", "1e-12"},
    {"rec.lambda0", "1"},
    {"rec.RP", "0"},
    {"rec.RP", "1e308"},
    {"rec.RD", "0"},
    {"rec.RD", "1e308"},
    {"rec.V_init", "-1e308"},
    {"rec.V_init", "1e308"},
    {"rho.hat", "1e-6"},
    {"rho.hat", "1"},
    {"rho.T", "1"},
    {"rho.T", "1e308"},
    {"delta", "1e-12"},
    {"delta", "0.999"},
    {"width.B", "1e-12"},
    {"width.B", "9e99"},
    {"width.R", "1e-12"},
    {"width.R", "9e99"},
    {"kernel.nu", "0.01"},
    {"kernel.nu", "2"},
    {"kernel.nu", "1e5"},
    {"kernel.lengthscale", "1e-6"},
    {"kernel.lengthscale", "1e6"},
    {"kernel.weight_variance", "1e-6"},
    {"kernel.weight_variance", "1e6"},
    {"kernel.bias_variance", "1e-6"},
    {"kernel.bias_variance", "1e6"},
    {"agp.c", "1"},
    {"agp.c", "1e6"},
    {"agp.a", "0"},
    {"agp.a", "10"},
    {"schedule.floor", "1e-6"},
    {"schedule.floor", "1e6"},
    {"lb.t0", "1"},
    {"lb.t0", "1000000"},
    {"scgp.fraction", "1e-12"},
    {"scgp.fraction", "0.999"},
    {"scgp.beta_floor", "-1e308"},
    {"scgp.beta_floor", "1e6"},
    {"scgp.lr", "1e-9"},
    {"scgp.lr", "1e3"},
    {"scgp.steps", "1"},
    {"scgp.restarts", "1"},
    {"scgp.restarts", "20"},
    {"ocbo.eta", "0"},
    {"ocbo.eta", "1e3"},
    {"ocbo.floor", "-1e308"},
    {"ocbo.floor", "1e6"},
    {"prior.location", "-1e3"},
    {"prior.location", "1e3"},
    {"prior.scale", "1e-300"},
    {"prior.scale", "999"},
    {"prior.deviation", "1e-3"},
    {"prior.deviation", "999"},
    {"auto.near_best_every", "0"},
    {"auto.near_best_every", "1"},
    {"auto.locks_below", "0"},
    {"auto.locks_below", "1e3"},
    {"auto.return_every", "1"},
    {"auto.return_every", "1000000"},
    {"auto.noisy_above", "0"},
    {"auto.noisy_above", "1e3"},
    {"auto.noise_margin", "0"},
    {"auto.noise_margin", "1e3"},
    {"pfn.members", "2"},
    {"pfn.context", "10"},
    {"pfn.context", "1024"},
    {"pfn.near_best_every", "0"},
    {"pfn.near_best_every", "1"},
    {"tabicl.weights", "weights/of a model.safetensors"},
    {"tabicl.sha256", "0db9cb538f114e79026bf08f45f41ad8dd7ad2de2aaca9a5ca8cd3bd9748ae7a"},
    {"tabicl.members", "3"},
    {"acquisition.adam_rate", "1e-9"},
    {"acquisition.adam_rate", "0.9"},
    {"acquisition.local_samples", "1"},
    {"acquisition.local_samples", "300"},
    {"acquisition.raw_samples", "1"},
    {"acquisition.raw_samples", "300"},
    {"acquisition.restarts", "1"},
    {"acquisition.restarts", "1000"},
    {"acquisition.max_iterations", "1"},
    {"acquisition.candidates", "2"},
    {"acquisition.candidates", "4096"},
    {"init.points", "1"},
    {"init.points", "10"},
};

std::vector<Assignment> accepted_assignments() {
  std::vector<Assignment> result = kNumbers;
  for (const OptionInfo& option : options()) {
    for (const std::string& word : accepted_words(option)) result.emplace_back(option.name, word);
  }
  return result;
}

TEST(Options, AreDocumented) {
  std::vector<std::string> names;
  for (const OptionInfo& option : options()) {
    EXPECT_FALSE(option.accepted.empty()) << option.name;
    EXPECT_FALSE(option.meaning.empty()) << option.name;
    EXPECT_EQ(option.meaning.find('\n'), std::string::npos) << option.name;
    names.push_back(option.name);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << "declared twice";
}

TEST(Options, AcceptTheirOwnDefaultAndAreUnchangedByIt) {
  for (const MethodInfo& method : methods()) {
    const Config config = method_config(method.name);
    for (const auto& [name, value] : settings(config)) {
      Config changed = config;
      EXPECT_NO_THROW(set_option(changed, name, value)) << name << '=' << value;
      EXPECT_EQ(settings(changed), settings(config)) << name << '=' << value;
    }
  }
}

TEST(Options, ChangeWhatTheyNameAndNothingElse) {
  for (const auto& [name, value] : accepted_assignments()) {
    Config config;
    ASSERT_NO_THROW(set_option(config, name, value)) << name << '=' << value;
    for (const auto& [other, default_value] : settings(Config{})) {
      EXPECT_TRUE(other == name || get_option(config, other) == default_value)
          << name << '=' << value << " changed " << other;
    }
    Config again;
    set_option(again, name, get_option(config, name));
    EXPECT_EQ(settings(again), settings(config)) << name << '=' << value;
  }
}

TEST(Options, EachCanTakeAValueOtherThanItsDefault) {
  const std::vector<Assignment> assignments = accepted_assignments();
  for (const OptionInfo& option : options()) {
    EXPECT_TRUE(std::any_of(assignments.begin(), assignments.end(), [&](const auto& assignment) {
      if (assignment.first != option.name) return false;
      Config config;
      set_option(config, assignment.first, assignment.second);
      return get_option(config, option.name) != option.default_value;
    })) << option.name;
  }
}

TEST(Options, RefuseGarbageNamingFieldValueAndWhatIsAccepted) {
  for (const OptionInfo& option : options()) {
    if (option.accepted == "a path") continue;  // any text may be one
    for (const std::string garbage :
         {"garbage", "", " ", "nan", "inf", "-inf", "1e999", "1,5", "1 ", " 1", "0x10", "TRUE"}) {
      if (garbage == option.default_value) continue;  // an empty text says that nothing is wanted
      Config config = method_config("oscbo-l1");
      const std::vector<Assignment> before = settings(config);
      try {
        set_option(config, option.name, garbage);
        ADD_FAILURE() << option.name << "='" << garbage << "' was accepted";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_value);
        EXPECT_EQ(error.field(), option.name);
        const std::string message = error.what();
        EXPECT_NE(message.find("'" + garbage + "'"), std::string::npos) << message;
        EXPECT_NE(message.find(option.accepted), std::string::npos) << message;
      }
      EXPECT_EQ(settings(config), before);
    }
  }
}

TEST(Options, RefuseNumbersOutOfRange) {
  for (const auto& [name, value] : std::vector<Assignment>{{"budget", "0"},
                                                           {"budget", "1.5"},
                                                           {"budget", "1000001"},
                                                           {"beta", "0"},
                                                           {"noise_variance", "0"},
                                                           {"noise_variance", "-1"},
                                                           {"kernel", "linear"},
                                                           {"kernel.nu", "0"},
                                                           {"kernel.nu", "-1"},
                                                           {"kernel.nu", "1e6"},
                                                           {"kernel.depth", "0"},
                                                           {"kernel.depth", "21"},
                                                           {"theta.min", "0"},
                                                           {"theta.max", "1e7"},
                                                           {"ftpl.p", "1.5"},
                                                           {"ftpl.steps", "0"},
                                                           {"ftpl.restarts", "0"},
                                                           {"ftpl.sd", "-0.1"},
                                                           {"dual.lambda0", "0"},
                                                           {"dual.lr", "-1"},
                                                           {"dual.clip_lc", "-2"},
                                                           {"rec.v", "1.1"},
                                                           {"rec.lambda0", "2"},
                                                           {"rec.RP", "-1"},
                                                           {"rec.RD", "-1"},
                                                           {"rho.hat", "0"},
                                                           {"rho.T", "0.5"},
                                                           {"delta", "0"},
                                                           {"delta", "1"},
                                                           {"delta", "-0.1"},
                                                           {"delta", "1.5"},
                                                           {"width.B", "0"},
                                                           {"width.B", "-1"},
                                                           {"width.R", "0"},
                                                           {"kernel.lengthscale", "0"},
                                                           {"kernel.weight_variance", "0"},
                                                           {"kernel.bias_variance", "-1"},
                                                           {"learner", "magic"},
                                                           {"agp.c", "0.5"},
                                                           {"agp.a", "-0.1"},
                                                           {"schedule.floor", "0"},
                                                           {"lb.t0", "0"},
                                                           {"scgp.fraction", "0"},
                                                           {"scgp.fraction", "1"},
                                                           {"scgp.steps", "0"},
                                                           {"ocbo.eta", "-1"},
                                                           {"prior.scale", "0"},
                                                           {"acquisition.raw_samples", "0"},
                                                           {"init.points", "0"},
                                                           {"acquisition.restarts", "-1"},
                                                           {"ftpl.lr", "0"},
                                                           {"kernel.ard", "1"},
                                                           {"dual.shift", "true"},
                                                           {"rec.E", "t,T"},
                                                           {"acquisition.max_iterations", "0"},
                                                           {"acquisition.candidates", "1"},
                                                           {"acquisition.candidates", "4097"}}) {
    Config config;
    const auto set = [&, n = name, v = value] { set_option(config, n, v); };
    test::expect_refused(set, ErrorCode::invalid_value, name);
    EXPECT_EQ(settings(config), settings(Config{}));
  }
}

TEST(Options, UnknownNamesAreRefused) {
  for (const std::string name : {"kernel.mu", "Beta", "method", "kernel."}) {
    Config config;
    const auto set = [&] { set_option(config, name, "1"); };
    test::expect_refused(set, ErrorCode::unknown_name, name);
    EXPECT_EQ(settings(config), settings(Config{}));
  }
}

TEST(Options, AreSetByOneStringToo) {
  Config config;
  set_option(config, "kernel.nu=1.5");
  EXPECT_EQ(config.get<gp::KernelOptions>().nu, 1.5);
  test::expect_refused([&] { set_option(config, "kernel.nu"); }, ErrorCode::invalid_value, "--set");
  test::expect_refused([&] { set_option(config, "=1.5"); }, ErrorCode::unknown_name, "--set");
  test::expect_refused([&] { set_option(config, "beta=1=2"); }, ErrorCode::invalid_value, "beta");
  EXPECT_EQ(get_option(config, "beta"), "2");
}

// --- values assigned without being parsed --------------------------------------------------------

TEST(Validate, RefusesWhatParsingWouldHaveRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<std::string, void (*)(Config&, double)>> fields = {
      {"beta", [](Config& c, double v) { c.beta = v; }},
      {"noise_variance", [](Config& c, double v) { c.noise_variance = v; }},
      {"kernel.nu", [](Config& c, double v) { c.edit<gp::KernelOptions>().nu = v; }},
      {"theta.min", [](Config& c, double v) { c.edit<learners::LearnerOptions>().theta_min = v; }},
      {"theta.max", [](Config& c, double v) { c.edit<learners::LearnerOptions>().theta_max = v; }},
      {"ftpl.p", [](Config& c, double v) { c.edit<online::PrimalOptions>().exponent = v; }},
      {"ftpl.lr", [](Config& c, double v) { c.edit<learners::LearnerOptions>().adam_rate = v; }},
      {"ftpl.sd", [](Config& c, double v) { c.edit<online::PrimalOptions>().perturbation_sd = v; }},
      {"dual.lr", [](Config& c, double v) { c.edit<online::DualOptions>().rate = v; }},
      {"dual.clip_lc", [](Config& c, double v) { c.edit<online::DualOptions>().clip = v; }},
      {"dual.lambda0",
       [](Config& c, double v) {
         c.edit<online::DualOptions>().start = online::DualOptions::Start::number;
         c.edit<online::DualOptions>().start_value = v;
       }},
      {"rec.v",
       [](Config& c, double v) { c.edit<online::RecoveryOptions>().sharpness_weight = v; }},
      {"rec.lambda0",
       [](Config& c, double v) { c.edit<online::RecoveryOptions>().start_multiplier = v; }},
      {"rec.RP", [](Config& c, double v) { c.edit<online::RecoveryOptions>().primal_regret = v; }},
      {"rec.RD", [](Config& c, double v) { c.edit<online::RecoveryOptions>().dual_regret = v; }},
      {"rho.hat", [](Config& c, double v) { c.edit<online::RecoveryOptions>().margin = v; }},
      {"rho.T", [](Config& c, double v) { c.edit<online::RecoveryOptions>().margin_horizon = v; }},
      {"delta", [](Config& c, double v) { c.delta = v; }},
      {"width.B", [](Config& c, double v) { c.edit<online::WidthOptions>().norm_bound = v; }},
      {"width.R", [](Config& c, double v) { c.edit<online::WidthOptions>().noise_bound = v; }},
      {"kernel.lengthscale",
       [](Config& c, double v) { c.edit<gp::KernelOptions>().lengthscale = v; }},
      {"kernel.weight_variance",
       [](Config& c, double v) { c.edit<gp::KernelOptions>().weight_variance = v; }},
      {"kernel.bias_variance",
       [](Config& c, double v) { c.edit<gp::KernelOptions>().bias_variance = v; }},
      {"agp.c", [](Config& c, double v) { c.edit<online::ScheduleOptions>().growth_constant = v; }},
      {"agp.a", [](Config& c, double v) { c.edit<online::ScheduleOptions>().growth_exponent = v; }},
      {"schedule.floor", [](Config& c, double v) { c.edit<online::ScheduleOptions>().floor = v; }},
      {"scgp.fraction",
       [](Config& c, double v) { c.edit<learners::SharpOptions>().calibration_fraction = v; }},
      {"scgp.lr", [](Config& c, double v) { c.edit<learners::SharpOptions>().adam_rate = v; }},
      {"ocbo.eta", [](Config& c, double v) { c.edit<learners::RecalibrationOptions>().rate = v; }},
      {"prior.scale", [](Config& c, double v) { c.edit<learners::PriorOptions>().scale = v; }},
      {"prior.deviation",
       [](Config& c, double v) { c.edit<learners::PriorOptions>().deviation = v; }},
      {"auto.locks_below",
       [](Config& c, double v) { c.edit<model::AutoOptions>().locks_below = v; }},
      {"auto.noisy_above",
       [](Config& c, double v) { c.edit<model::AutoOptions>().noisy_above = v; }},
      {"auto.noise_margin",
       [](Config& c, double v) { c.edit<model::AutoOptions>().noise_margin = v; }},
      {"learner", [](Config& c, double) { c.learner = "magic"; }},
      {"budget", [](Config& c, double) { c.budget = 0; }},
      {"ftpl.steps", [](Config& c, double) { c.edit<learners::LearnerOptions>().adam_steps = -1; }},
      {"init.points", [](Config& c, double) { c.initial_points = 0; }},
      {"acquisition.restarts",
       [](Config& c, double) { c.edit<acquisition::AcquisitionOptions>().restarts = 0; }},
  };
  for (const auto& [name, assign] : fields) {
    for (const double bad : {nan, -2.0, std::numeric_limits<double>::infinity()}) {
      Config config;
      assign(config, bad);
      test::expect_refused([&] { validate(config); }, ErrorCode::invalid_value, name);
      test::expect_refused([&] { Optimizer(test::kSquare, config); }, ErrorCode::invalid_value,
                           name);
    }
  }
}

TEST(Validate, RefusesBoundsOfTheLengthscaleThatCross) {
  Config config;
  set_option(config, "theta.min", "2");
  set_option(config, "theta.max", "1");
  test::expect_refused([&] { validate(config); }, ErrorCode::invalid_value, "theta.min");
}

struct Contradiction {
  std::string method;
  std::vector<std::string> settings;
  std::string field;
};

TEST(Validate, RefusesSettingsThatContradictTheMethodOrEachOther) {
  const std::vector<Contradiction> contradictions = {
      {"lb-gp-ucb", {"kernel.ard=true"}, "kernel.ard"},
      {"random", {"kernel.ard=true"}, "kernel.ard"},
      {"sobol", {"kernel.ard=true"}, "kernel.ard"},
      {"oscbo", {"learner=balancing", "kernel.ard=true"}, "kernel.ard"},
      {"oscbo", {"kernel=ibnn", "kernel.ard=true"}, "kernel.ard"},
      {"vanilla-bo", {"kernel=ibnn"}, "kernel"},
      {"a-gp-ucb", {"kernel=ibnn"}, "kernel"},
      {"lb-gp-ucb", {"kernel=ibnn"}, "kernel"},
      {"oscbo", {"kernel.additive=true"}, "kernel.additive"},
      {"oscbo", {"kernel.additive=true", "kernel.ard=true"}, "kernel.additive"},
      {"oscbo", {"learner=auto"}, "kernel.ard"},
      {"auto", {"kernel.ard=false"}, "kernel.additive"},
      {"auto", {"kernel=ibnn"}, "kernel"},
      {"auto", {"width=theory", "y.standardise=none"}, "width"},
      {"auto", {"x.normalise=data"}, "x.normalise"},
      {"auto", {"dual.regulariser=euclidean"}, "dual.regulariser"},
      {"auto", {"lc.stats=after"}, "lc.stats"},
      {"pfn", {"kernel.ard=true"}, "kernel.ard"},
      {"pfn", {"kernel.additive=true"}, "kernel.additive"},
      {"pfn", {"kernel=ibnn"}, "kernel"},
      {"pfn", {"width=theory", "y.standardise=none"}, "width"},
      {"pfn", {"x.normalise=data"}, "x.normalise"},
      {"pfn", {"dual.regulariser=euclidean"}, "dual.regulariser"},
      {"pfn", {"lc.stats=after"}, "lc.stats"},
      {"tabicl", {"kernel=ibnn"}, "kernel"},
      {"oscbo", {"learner=pfn", "kernel.ard=true"}, "kernel.ard"},
      {"oscbo", {"width=theory"}, "width"},
      {"oscbo", {"width=theory", "y.standardise=initial_only"}, "width"},
      {"gp-ucb", {"y.standardise=each_round"}, "width"},
      {"oscbo", {"width=theory", "y.standardise=none", "kernel=ibnn"}, "width"},
  };
  for (const auto& [method, settings_of_it, field] : contradictions) {
    Config config = method_config(method);
    for (const std::string& setting : settings_of_it) set_option(config, setting);
    test::expect_refused([&] { validate(config); }, ErrorCode::invalid_value, field);
    test::expect_refused([&] { Optimizer(test::kSquare, config); }, ErrorCode::invalid_value,
                         field);
  }
}

TEST(Validate, AcceptsTheSameSettingsWhereTheyMakeSense) {
  for (const auto& composition :
       {test::composed("oscbo", {"kernel.ard=true"}),
        test::composed("auto", {"kernel.additive=false"}),
        test::composed("auto", {"acquisition=thompson"}),
        test::composed("a-gp-ucb", {"kernel.ard=true"}), test::composed("oscbo", {"kernel=ibnn"}),
        test::composed("scgp", {"kernel=ibnn"}), test::composed("gp-ucb", {"kernel=ibnn"}),
        test::composed("gp-ucb", {"width=constant", "y.standardise=each_round"}),
        test::composed("oscbo", {"width=theory", "y.standardise=none"})}) {
    EXPECT_NO_THROW(validate(composition.config)) << composition.name;
  }
}

// --- every value does something that works -------------------------------------------------------

class EveryValue : public testing::TestWithParam<Assignment> {};
INSTANTIATE_TEST_SUITE_P(OfEveryOption, EveryValue, testing::ValuesIn(accepted_assignments()));

/// config_for returns a configuration in which the option matters.
Config config_for(const std::string& option) {
  const std::vector<Assignment> owners = {{"agp.", "a-gp-ucb"},
                                          {"schedule.", "a-gp-ucb"},
                                          {"lb.", "lb-gp-ucb"},
                                          {"scgp.", "scgp"},
                                          {"ocbo.", "ocbo"},
                                          {"prior.", "vanilla-bo"},
                                          {"prior.deviation", "auto"},
                                          {"auto.", "auto"},
                                          {"pfn.", "pfn"},
                                          {"tabicl.", "tabicl"},
                                          {"acquisition.adam_rate", "tabicl"},
                                          {"kernel.additive", "auto"},
                                          {"width.", "gp-ucb"},
                                          {"kernel.lengthscale", "gp-ucb"},
                                          {"kernel.weight_variance", "gp-ucb"},
                                          {"kernel.bias_variance", "gp-ucb"}};
  std::string method = "oscbo";
  for (const auto& [prefix, owner] : owners) {
    if (option.starts_with(prefix)) method = owner;
  }
  Config config = test::short_config(method);
  if (option == "width") config.edit<DataOptions>().standardise = DataOptions::Standardise::none;
  const bool of_network = option == "kernel.depth" || option == "kernel.activation" ||
                          option == "kernel.normalised" || option == "kernel.weight_variance" ||
                          option == "kernel.bias_variance";
  if (of_network) config.edit<gp::KernelOptions>().family = gp::KernelOptions::Family::network;
  if (option.starts_with("agp.") && option.size() == 5)
    config.edit<online::ScheduleOptions>().growth = online::ScheduleOptions::Growth::power;
  return config;
}

/// has_bounds returns whether the rule learns within the bounds of theta.
bool has_bounds(const Config& config) {
  return config.learner != "fixed" && config.learner != "schedule" && config.learner != "balancing";
}

TEST_P(EveryValue, RunsTwelveRounds) {
  const auto& [name, value] = GetParam();
  for (const learners::LearnerOptions::Solver solver :
       {learners::LearnerOptions::Solver::adam, learners::LearnerOptions::Solver::exact}) {
    Config config = config_for(name);
    config.edit<learners::LearnerOptions>().solver = solver;
    set_option(config, name, value);
    if (value == "auto") config.edit<gp::KernelOptions>().ard = true;  // auto needs this
    config = in_context::with_random_weights(config);                  // learner=tabicl needs this
    Optimizer optimizer(test::kSquare, config, 1);
    test::run(optimizer, 12, test::hill);
    EXPECT_EQ(optimizer.rounds() >= 2, has_model(config));
    for (const Trial& trial : optimizer.trials()) {
      if (!trial.prediction()) continue;
      EXPECT_TRUE(std::isfinite(trial.prediction()->mean));
      EXPECT_TRUE(std::isfinite(trial.prediction()->width));
      EXPECT_TRUE(std::isfinite(trial.feedback()->calibration_loss));
      EXPECT_TRUE(std::isfinite(trial.prediction()->acquisition));
      if (!has_bounds(config)) continue;
      for (const double lengthscale : trial.prediction()->lengthscales) {
        EXPECT_GE(lengthscale, config.get<learners::LearnerOptions>().theta_min);
        EXPECT_LE(lengthscale, config.get<learners::LearnerOptions>().theta_max);
      }
    }
  }
}

}  // namespace
}  // namespace oscbo
