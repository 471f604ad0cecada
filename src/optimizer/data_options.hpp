// The options of the initial design, and of how observations and inputs are scaled.
#pragma once

#include <vector>

namespace oscbo {

struct Option;

struct DataOptions {
  enum class Design { sobol, uniform, lhs };
  enum class Standardise { each_round, initial_only, none };
  enum class LossStatistics { before, after };
  enum class Inputs { bounds, data };

  Design design = Design::sobol;
  Standardise standardise = Standardise::each_round;
  LossStatistics loss_statistics = LossStatistics::before;
  Inputs inputs = Inputs::bounds;
};

[[nodiscard]] std::vector<Option> data_options();

}  // namespace oscbo
