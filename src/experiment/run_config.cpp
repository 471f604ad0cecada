#include <fmt/format.h>

#include "base/option.hpp"
#include "experiment/plan.hpp"
#include "experiment/variant.hpp"
#include "oscbo/error.hpp"
#include "oscbo/weights.hpp"

namespace oscbo {
namespace {

constexpr const char* kNoiseName = "obs.noise_sd";
constexpr option::Range kNoiseRange = {0, 1e6};

OptionInfo noise_option(double value) {
  return {.name = kNoiseName,
          .accepted = option::describe("a number", kNoiseRange),
          .default_value = option::text_of(value),
          .meaning = "noise added to benchmark observations, in the task's units"};
}

double parse_noise(std::string_view text) {
  const std::optional<double> noise_sd = option::parse(text, kNoiseRange);
  if (noise_sd) return *noise_sd;
  throw Error(ErrorCode::invalid_value, kNoiseName,
              fmt::format("'{}' is not accepted; use {}", text, noise_option(0.0).accepted));
}

void apply_setting(RunConfig& config, std::string_view setting) {
  constexpr std::string_view kNoise = "obs.noise_sd=";
  if (setting.starts_with(kNoise)) {
    config.observation_noise_sd = parse_noise(setting.substr(kNoise.size()));
  } else {
    set_option(config.optimizer, setting);
  }
}

}  // namespace

RunConfig experiment::compose_config(const std::string& method, int steps,
                                     const std::vector<std::string>& settings) {
  if (steps < 1) {
    throw Error(ErrorCode::invalid_value, "--steps",
                std::to_string(steps) + " is not accepted; it must be at least 1");
  }
  const Variant variant = parse_variant(method);
  RunConfig config{.optimizer = method_config(variant.method)};
  config.optimizer.budget = steps;
  for (const std::string& setting : settings) apply_setting(config, setting);
  for (const std::string& setting : variant.settings) apply_setting(config, setting);
  if (config.optimizer.budget != steps) {
    throw Error(ErrorCode::invalid_value, "--set", "--steps sets the budget");
  }
  return config;
}

RunConfig run_config(const std::string& method, int steps,
                     const std::vector<std::string>& settings) {
  experiment::require_distinct_settings(experiment::parse_variant(method));
  RunConfig config = experiment::compose_config(method, steps, settings);
  validate(config.optimizer);
  load_weights(config.optimizer);
  return config;
}

std::vector<OptionInfo> run_options(const RunConfig& config) {
  std::vector<OptionInfo> list = options(config.optimizer);
  list.push_back(noise_option(config.observation_noise_sd));
  return list;
}

}  // namespace oscbo
