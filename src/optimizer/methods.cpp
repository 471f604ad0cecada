// The named methods. Each is a composition of pieces, written as its differences from the defaults.
// Each model strategy and lengthscale rule defines a method and sets the options of its model
// (src/model/registry.cpp, src/learners/registry.cpp). This file defines the methods that have no
// strategy or rule of their own. It also sets the options that a model does not see: those of the
// search, the initial design and the scaling of observations.
#include <fmt/format.h>

#include "acquisition/acquisition_options.hpp"
#include "model/registry.hpp"
#include "online/game_options.hpp"
#include "optimizer/data_options.hpp"
#include "oscbo/error.hpp"
#include "oscbo/options.hpp"

namespace oscbo {
namespace {

using acquisition::AcquisitionOptions;

/// The search of auto is thorough enough for expensive evaluations.
void compose_auto(Config& config) {
  config.edit<AcquisitionOptions>() = {.kind = AcquisitionOptions::Kind::logei,
                                       .solver = AcquisitionOptions::Solver::bfgs,
                                       .raw_samples = 400,
                                       .local_samples = 200,
                                       .restarts = 8,
                                       .max_iterations = 40,
                                       .best = AcquisitionOptions::Best::fitted};
}

/// The network of pfn computes means and variances of hundreds of points about as fast as gradients
/// at a few. Spaces that are not boxes are searched with gradients all the same.
void compose_pfn(Config& config) {
  config.edit<AcquisitionOptions>() = {.kind = AcquisitionOptions::Kind::logei,
                                       .solver = AcquisitionOptions::Solver::candidates,
                                       .raw_samples = 256,
                                       .local_samples = 128,
                                       .restarts = 8,
                                       .max_iterations = 40,
                                       .best = AcquisitionOptions::Best::observed};
}

/// The search of the baseline in the paper.
void compose_tabicl(Config& config) {
  config.edit<AcquisitionOptions>() = {.kind = AcquisitionOptions::Kind::ucb,
                                       .solver = AcquisitionOptions::Solver::adam,
                                       .raw_samples = 20,
                                       .restarts = 5,
                                       .max_iterations = 50,
                                       .adam_rate = 0.05};
}

/// Corollary 1 assumes raw units, and that the maximum of the acquisition is found.
void compose_known_kernel(Config& config) {
  config.edit<DataOptions>().standardise = DataOptions::Standardise::none;
  config.edit<AcquisitionOptions>().raw_samples = 200;
  config.edit<AcquisitionOptions>().restarts = 10;
}

struct Composition {
  std::string method;
  void (*compose)(Config& config);
};

/// What the methods of the registry change beside their model.
const std::vector<Composition>& compositions() {
  static const std::vector<Composition> list{{"auto", compose_auto},
                                             {"gp-ucb", compose_known_kernel},
                                             {"pfn", compose_pfn},
                                             {"tabicl", compose_tabicl}};
  return list;
}

struct Variation {
  MethodInfo info;
  void (*compose)(Config& config);
};

/// The methods that differ from oscbo in something other than their model.
const std::vector<Variation>& variations() {
  static const std::vector<Variation> list{
      {{"oscbo-l1", "OSCBO with absolute calibration loss (p = 1): longer lengthscales"},
       [](Config& config) { config.edit<online::PrimalOptions>().exponent = 1.0; }},
      {{"random", "control: uniformly random points after the initial design"},
       [](Config& config) {
         config.edit<AcquisitionOptions>().kind = AcquisitionOptions::Kind::random;
       }},
      {{"sobol", "control: the initial design's Sobol sequence, continued"},
       [](Config& config) {
         config.edit<AcquisitionOptions>().kind = AcquisitionOptions::Kind::sobol;
       }},
  };
  return list;
}

}  // namespace

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
    config.learner = model.name;
    if (model.compose != nullptr) model.compose(config);
    for (const Composition& composition : compositions()) {
      if (composition.method == name) composition.compose(config);
    }
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
