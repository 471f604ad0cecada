#include "learners/registry.hpp"

#include <algorithm>
#include <utility>

#include "gp/kernel_options.hpp"
#include "learners/learner_options.hpp"
#include "learners/recalibration_options.hpp"
#include "learners/sharp_options.hpp"
#include "online/balancing_options.hpp"
#include "online/schedule_options.hpp"
#include "online/width_options.hpp"
#include "oscbo/error.hpp"

namespace oscbo::learners {
namespace {

/// Corollary 1 is about the width of Theorem 1.
void compose_known_kernel(Config& config) {
  config.edit<online::WidthOptions>().kind = online::WidthOptions::Kind::theory;
}

/// One lengthscale per parameter, moved as it is, bounded below as in BoTorch.
void compose_prior(Config& config) {
  config.edit<gp::KernelOptions>().ard = true;
  config.edit<LearnerOptions>().transform = LearnerOptions::Transform::clamp;
  config.edit<LearnerOptions>().theta_min = 0.025;
}

std::vector<RuleInfo>& registry() {
  static std::vector<RuleInfo> list{
      {.name = "game",
       .method = "oscbo",
       .meaning =
           "Online Sharp-Calibrated BO, the paper's method: squared calibration loss (p = 2)",
       .make = make_game_rule,
       .traits = {.accepts_other_kernels = true}},
      {.name = "mll",
       .method = "gp-ucb-mll",
       .meaning = "GP-UCB with lengthscales refit by marginal likelihood every round",
       .make = make_likelihood_rule,
       .traits = {.accepts_other_kernels = true}},
      {.name = "fixed",
       .method = "gp-ucb",
       .meaning = "GP-UCB with a known kernel and the confidence width of the theory",
       .make = make_fixed_rule,
       .traits = {.accepts_other_kernels = true, .kernel_is_known = true},
       .compose = compose_known_kernel},
      {.name = "prior",
       .method = "vanilla-bo",
       .meaning = "GP-UCB with lengthscales of maximum posterior under a dimension-scaled prior",
       .make = make_prior_rule,
       .compose = compose_prior},
      {.name = "schedule",
       .method = "a-gp-ucb",
       .meaning = "A-GP-UCB: the lengthscale of the initial design, shortened by a fixed schedule",
       .make = make_schedule_rule,
       .options = online::schedule_options},
      {.name = "balancing",
       .method = "lb-gp-ucb",
       .meaning = "LB-GP-UCB: ever shorter candidate lengthscales, balanced by suspected regret",
       .make = make_balancing_rule,
       .traits = {.accepts_ard = false},
       .options = online::balancing_options},
      {.name = "recalibrated",
       .method = "ocbo",
       .meaning = "GP-UCB-MLL with a confidence width recalibrated on leave-one-out quantiles",
       .make = make_recalibrated_rule,
       .traits = {.accepts_other_kernels = true, .memory = 13.0},
       .options = recalibration_options},
      {.name = "sharp-calibrated",
       .method = "scgp",
       .meaning =
           "UCB with a second Gaussian process for the spread, calibrated on held-out points",
       .make = make_sharp_calibrated_rule,
       .traits = {.accepts_other_kernels = true, .memory = 13.0},
       .options = sharp_options},
  };
  return list;
}

}  // namespace

const std::vector<RuleInfo>& rules() { return registry(); }

void register_rule(RuleInfo rule) { registry().push_back(std::move(rule)); }

const RuleInfo* find_rule(std::string_view name) {
  const auto found = std::find_if(rules().begin(), rules().end(),
                                  [&](const RuleInfo& rule) { return rule.name == name; });
  return found == rules().end() ? nullptr : &*found;
}

const RuleInfo& rule_of(const Config& config) {
  const RuleInfo* rule = find_rule(config.learner);
  if (rule == nullptr) {
    throw Error(ErrorCode::unknown_name, "learner", '\'' + config.learner + "' is not a rule");
  }
  return *rule;
}

RuleHandle make_rule(const Config& config, const gp::Layout& layout, std::uint64_t seed) {
  return RuleHandle(rule_of(config).make(config, layout, seed));
}

}  // namespace oscbo::learners
