// The named methods. Each is a composition of pieces, written as its differences from the defaults.
// A lengthscale rule makes a method of its own (src/learners/registry.cpp). The methods here differ
// from one of those in something else.
#include <fmt/format.h>

#include "model/registry.hpp"
#include "oscbo/config.hpp"
#include "oscbo/error.hpp"

namespace oscbo {
namespace {

struct Variation {
  MethodInfo info;
  void (*compose)(Config& config);
};

const std::vector<Variation>& variations() {
  static const std::vector<Variation> list{
      {{"oscbo-l1", "OSCBO with absolute calibration loss (p = 1): longer lengthscales"},
       [](Config& config) { config.primal.exponent = 1.0; }},
      {{"random", "control: uniformly random points after the initial design"},
       [](Config& config) { config.acquisition.kind = AcquisitionKind::random; }},
      {{"sobol", "control: the initial design's Sobol sequence, continued"},
       [](Config& config) { config.acquisition.kind = AcquisitionKind::sobol; }},
  };
  return list;
}

}  // namespace

std::string_view to_string(Phase phase) noexcept {
  return phase == Phase::play ? "play" : "recovery";
}

std::vector<MethodInfo> methods() {
  std::vector<MethodInfo> list;
  for (const model::ModelInfo& model : model::models()) {
    list.push_back({.name = model.method, .meaning = model.meaning});
  }
  for (const Variation& variation : variations()) list.push_back(variation.info);
  return list;
}

Config method_config(std::string_view name) {
  Config config;
  config.method = name;
  for (const model::ModelInfo& model : model::models()) {
    if (model.method != name) continue;
    config.learner.rule = model.name;
    if (model.compose != nullptr) model.compose(config);
    return config;
  }
  for (const Variation& variation : variations()) {
    if (variation.info.name != name) continue;
    variation.compose(config);
    return config;
  }
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.push_back(method.name);
  throw Error(ErrorCode::unknown_name, "method",
              fmt::format("'{}' is not a method; use {}", name, fmt::join(names, " | ")));
}

}  // namespace oscbo
