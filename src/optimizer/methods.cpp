// The named methods: each is a composition of pieces, written as what differs from the defaults.
#include <fmt/format.h>

#include "oscbo/config.hpp"
#include "oscbo/error.hpp"

namespace oscbo {

std::string_view to_string(Phase phase) noexcept {
  return phase == Phase::play ? "play" : "recovery";
}

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> list{
      {"oscbo", "Online Sharp-Calibrated BO, the paper's method: squared calibration loss (p = 2)"},
      {"oscbo-l1", "the same with absolute calibration loss (p = 1): longer lengthscales"},
      {"gp-ucb-mll", "GP-UCB with lengthscales refit by marginal likelihood every round"},
  };
  return list;
}

Config method_config(std::string_view name) {
  Config config;
  config.method = name;
  if (name == "oscbo") return config;
  if (name == "oscbo-l1") {
    config.primal.exponent = 1.0;
    return config;
  }
  if (name == "gp-ucb-mll") {
    config.learner.rule = LengthscaleRuleKind::likelihood;
    return config;
  }
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.push_back(method.name);
  throw Error(ErrorCode::unknown_name, "method",
              fmt::format("'{}' is not a method; use {}", name, fmt::join(names, " | ")));
}

}  // namespace oscbo
