#include "online/balancing_options.hpp"

#include "base/option.hpp"

namespace oscbo::online {

std::vector<Option> balancing_options() {
  using Options = BalancingOptions;
  return {
      option::choice("lb.grid", &Options::grid,
                     {{"paper", Options::Grid::paper}, {"code", Options::Grid::code}},
                     "ratio of neighbouring candidates: exp(1/d), or exp(1/(d + 2 nu))"),
      option::choice(
          "lb.add_rule", &Options::add_rule,
          {{"schedule", Options::AddRule::schedule}, {"literal", Options::AddRule::literal}},
          "add candidates >= theta_0/g(t), or, as printed, candidates <= theta_0/g(t)"),
      option::choice("lb.add_per_round", &Options::add_per_round,
                     {{"one", Options::AddCount::one}, {"all", Options::AddCount::all}},
                     "candidates added in a round"),
      option::choice("lb.regret_form", &Options::regret_form,
                     {{"matern", Options::RegretForm::matern}, {"rbf", Options::RegretForm::rbf}},
                     "information gain in the suspected regret"),
      option::flag("lb.norm_inflation", &Options::norm_inflation,
                   "let the norm bound grow as (theta_0/theta)^(d/2)"),
      option::choice("lb.elim", &Options::elimination,
                     {{"paper", Options::Elimination::paper}, {"code", Options::Elimination::code}},
                     "elimination test: mean reward plus 2 W - sqrt(xi/|S|), or plus W + "
                     "sqrt(xi/|S|); W: mean of multiplier x sd"),
      option::choice("lb.beta", &Options::width,
                     {{"fixed", RuleWidth::fixed}, {"theory", RuleWidth::theory}},
                     "confidence multiplier: from the option width, or LB-GP-UCB's own"),
      option::choice("lb.sigma", &Options::sd,
                     {{"latent", Options::Sd::latent}, {"with_noise", Options::Sd::with_noise}},
                     "standard deviation in the elimination test"),
      option::choice(
          "lb.y_scale", &Options::reward_scale,
          {{"current", Options::RewardScale::current}, {"raw", Options::RewardScale::raw}},
          "standardise a reward again in every round, or only when it is first seen"),
      option::integer("lb.t0", &Options::start_rounds, {1, 1e6},
                      "g(t) = 1 up to t0, then max(t0, sqrt(t))"),
  };
}

}  // namespace oscbo::online
