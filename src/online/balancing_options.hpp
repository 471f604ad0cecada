// The options of LB-GP-UCB.
#pragma once

#include <vector>

#include "online/width_options.hpp"

namespace oscbo {
struct Option;
}

namespace oscbo::online {

/// In d dimensions, the candidates are theta_0 exp(-i/d) for i = 0, 1, ... With Grid::code and a
/// Matern kernel they are theta_0 exp(-i/(d + 2 nu)). Regret balancing chooses among them, and low
/// rewards eliminate them. `paper` is a rule as published, and `code` is the rule in the code of
/// the paper's authors. balancing_options explains the other choices.
struct BalancingOptions {
  enum class Grid { paper, code };
  enum class AddRule { schedule, literal };
  enum class AddCount { one, all };
  enum class RegretForm { matern, rbf };
  enum class Elimination { paper, code };
  enum class Sd { latent, with_noise };
  enum class RewardScale { current, raw };

  Grid grid = Grid::paper;
  AddRule add_rule = AddRule::schedule;
  AddCount add_per_round = AddCount::one;
  RegretForm regret_form = RegretForm::matern;
  bool norm_inflation = false;
  Elimination elimination = Elimination::paper;
  RuleWidth width = RuleWidth::fixed;
  Sd sd = Sd::latent;
  RewardScale reward_scale = RewardScale::current;
  int start_rounds = 5;  // t0
};

[[nodiscard]] std::vector<Option> balancing_options();

}  // namespace oscbo::online
