// The options of all rooms in one list, and the combinations of them that are refused.
#include "oscbo/options.hpp"

#include <span>

#include <fmt/format.h>

#include "acquisition/acquisition_options.hpp"
#include "base/option.hpp"
#include "gp/kernel_options.hpp"
#include "learners/learner_options.hpp"
#include "learners/prior_options.hpp"
#include "model/registry.hpp"
#include "online/game_options.hpp"
#include "online/width_options.hpp"
#include "optimizer/data_options.hpp"
#include "optimizer/initial_design.hpp"
#include "oscbo/error.hpp"

namespace oscbo {
namespace {

std::vector<Option> general_options() {
  return {
      option::integer("budget", &Config::budget, {1, 1e6}, "T: rounds after the initial design"),
      option::integer("threads", &Config::threads, {0, 1024},
                      "threads for operations on hundreds of points; 0: one per processor"),
      option::number("memory", &Config::memory, {1e-3, 1e6},
                     "GiB that a model may take; an ask that needs more is refused"),
      option::number("beta", &Config::beta, {1e-12, 1e6},
                     "confidence width: intervals are mean +- sqrt(beta) sd"),
      option::number("noise_variance", &Config::noise_variance, {1e-18, 1e3},
                     "variance of the noise on standardised observations"),
      option::number("delta", &Config::delta, {0, 1, option::Ends::open},
                     "failure probability of the theory; miss rate that auto, pfn, ocbo and scgp "
                     "calibrate to"),
  };
}

Option learner_option() {
  std::vector<std::string> names;
  for (const model::ModelInfo& model : model::models()) names.push_back(model.name);
  return option::name("learner", &Config::learner, names,
                      "how the model is learned, see docs/methods.md");
}

/// options_of_models returns the options that belong to single entries of the registry.
std::vector<Option> options_of_models() {
  std::vector<std::vector<Option>> lists;
  for (const model::ModelInfo& model : model::models()) {
    if (model.options != nullptr) lists.push_back(model.options());
  }
  return join(std::move(lists));
}

std::span<const Option> all_options() {
  static const std::vector<Option> list = join({general_options(),
                                                online::width_options(),
                                                gp::kernel_options(),
                                                {learner_option()},
                                                learners::learner_options(),
                                                learners::refit_options(),
                                                online::game_options(),
                                                learners::prior_options(),
                                                options_of_models(),
                                                acquisition::acquisition_options(),
                                                data_options()});
  return list;
}

}  // namespace

std::vector<OptionInfo> options(const Config& config) {
  std::vector<OptionInfo> list;
  for (const Option& option : all_options()) {
    list.push_back({.name = option.name,
                    .accepted = option.accepted,
                    .default_value = option.text(config),
                    .meaning = option.meaning});
  }
  return list;
}

void set_option(Config& config, std::string_view name, std::string_view value) {
  assign_option(find_option(all_options(), name), config, value);
}

void set_option(Config& config, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw Error(ErrorCode::invalid_value, "--set",
                fmt::format("'{}' is not accepted; use name=value", assignment));
  }
  set_option(config, assignment.substr(0, equals), assignment.substr(equals + 1));
}

std::string get_option(const Config& config, std::string_view name) {
  return find_option(all_options(), name).text(config);
}

bool has_model(const Config& config) {
  return !is_control(config.get<acquisition::AcquisitionOptions>().kind);
}

bool has_lengthscales(const Config& config) {
  return config.get<gp::KernelOptions>().family != gp::KernelOptions::Family::network;
}

namespace {

[[noreturn]] void refuse_combination(const char* option, const std::string& why) {
  throw Error(ErrorCode::invalid_value, option, why);
}

/// need refuses an option of the model unless `holds`.
void need(bool holds, const model::ModelInfo& model, const char* option, const char* what) {
  if (!holds) refuse_combination(option, fmt::format("learner={} needs {}", model.name, what));
}

/// check_calibration refuses options that do not fit a model that widens its intervals itself.
void check_calibration(const Config& config, const model::ModelInfo& model) {
  need(config.get<online::DualOptions>().regulariser == online::DualOptions::Regulariser::entropy,
       model, "dual.regulariser", "dual.regulariser=entropy: its multiplier must stay positive");
  need(config.get<DataOptions>().loss_statistics == DataOptions::LossStatistics::before, model,
       "lc.stats", "lc.stats=before");
}

/// check_scales refuses options that do not fit a model that knows its scales from the box alone.
void check_scales(const Config& config, const model::ModelInfo& model) {
  need(config.get<online::WidthOptions>().kind == online::WidthOptions::Kind::constant, model,
       "width", "width=constant");
  need(config.get<DataOptions>().inputs == DataOptions::Inputs::bounds, model, "x.normalise",
       "x.normalise=bounds");
}

/// check_without_kernel refuses kernels for a model that is not a Gaussian process.
void check_without_kernel(const Config& config, const model::ModelInfo& model) {
  const auto& kernel = config.get<gp::KernelOptions>();
  const auto refuse_if = [&](bool is_set, const char* option, const char* value) {
    if (!is_set) return;
    refuse_combination(
        option,
        fmt::format("{} is not accepted with learner={}, which has no kernel", value, model.name));
  };
  refuse_if(!has_lengthscales(config), "kernel", "ibnn");
  refuse_if(kernel.ard, "kernel.ard", "true");
  refuse_if(kernel.additive, "kernel.additive", "true");
}

/// check_kernel refuses kernels that a Gaussian process cannot use.
void check_kernel(const Config& config, const model::ModelInfo& model) {
  const auto& kernel = config.get<gp::KernelOptions>();
  const bool is_network = !has_lengthscales(config);
  if (is_network && !model.traits.accepts_other_kernels) {
    refuse_combination("kernel", fmt::format("ibnn is not accepted with learner={}, which knows "
                                             "lengthscales only",
                                             model.name));
  }
  if (kernel.additive && !(kernel.ard && model.traits.learns_everything && !is_network)) {
    refuse_combination("kernel.additive",
                       "true needs learner=auto, kernel.ard=true and a kernel with lengthscales");
  }
  // The prior on the lengthscales of auto refers to single parameters.
  if (model.traits.learns_everything) need(kernel.ard, model, "kernel.ard", "kernel.ard=true");
  if (!kernel.ard) return;
  if (is_network) {
    refuse_combination("kernel.ard",
                       "true is not accepted with kernel=ibnn, which has no lengthscales");
  }
  if (!model.traits.accepts_ard) {
    refuse_combination("kernel.ard", fmt::format("true is not accepted with learner={}, which has "
                                                 "one lengthscale for all parameters",
                                                 model.name));
  }
  if (!has_model(config) && !model.traits.learns_everything) {
    refuse_combination("kernel.ard",
                       "true is not accepted with acquisition=random and acquisition=sobol, which "
                       "have no model");
  }
}

void check_theory(const Config& config) {
  const auto& data = config.get<DataOptions>();
  if (data.standardise != DataOptions::Standardise::none) {
    refuse_combination("width",
                       "theory needs y.standardise=none: width.B and width.R are in the "
                       "units of y");
  }
  if (data.inputs != DataOptions::Inputs::bounds) {
    refuse_combination("width", "theory needs x.normalise=bounds: the kernel must stay the same");
  }
  if (config.get<learners::PriorOptions>().noise == learners::PriorOptions::Noise::learned) {
    refuse_combination("width", "theory needs prior.noise=fixed: the theory assumes a known noise");
  }
  if (has_lengthscales(config)) return;
  if (!config.get<gp::KernelOptions>().normalised) {
    refuse_combination("width", "theory with kernel=ibnn needs kernel.normalised=true");
  }
  if (!model::model_of(config).traits.kernel_is_known) {
    refuse_combination("width",
                       "theory with kernel=ibnn needs learner=fixed: covering numbers are known "
                       "only for lengthscales");
  }
}

void check_composition(const Config& config) {
  const auto& learner = config.get<learners::LearnerOptions>();
  if (learner.theta_min >= learner.theta_max) {
    refuse_combination("theta.min", fmt::format("{} must be below theta.max {}", learner.theta_min,
                                                learner.theta_max));
  }
  const model::ModelInfo& model = model::model_of(config);
  if (model.traits.is_gaussian_process) {
    check_kernel(config, model);
  } else {
    check_without_kernel(config, model);
  }
  const bool has_own_scales = model.traits.learns_everything || !model.traits.is_gaussian_process;
  if (has_own_scales) check_scales(config, model);
  if (model.traits.calibrates_itself) check_calibration(config, model);
  if (config.get<online::WidthOptions>().kind == online::WidthOptions::Kind::theory) {
    check_theory(config);
  }
}

}  // namespace

void validate(const Config& config) {
  for (const Option& option : all_options()) check_option(option, config);
  check_composition(config);
}

}  // namespace oscbo
