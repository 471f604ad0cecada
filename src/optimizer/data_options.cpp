#include "optimizer/data_options.hpp"

#include "base/option.hpp"

namespace oscbo {

std::vector<Option> data_options() {
  using Options = DataOptions;
  return {
      option::integer("init.points", &Config::initial_points, {1, 1e4},
                      "points before the model is used"),
      option::choice("init.law", &Options::design,
                     {{"sobol", Options::Design::sobol},
                      {"uniform", Options::Design::uniform},
                      {"lhs", Options::Design::lhs}},
                     "law of the initial design"),
      option::choice("y.standardise", &Options::standardise,
                     {{"each_round", Options::Standardise::each_round},
                      {"initial_only", Options::Standardise::initial_only},
                      {"none", Options::Standardise::none}},
                     "when observations are standardised"),
      option::choice(
          "lc.stats", &Options::loss_statistics,
          {{"before", Options::LossStatistics::before}, {"after", Options::LossStatistics::after}},
          "statistics that standardise y in the losses of its prediction: those before or "
          "those after y is told"),
      option::choice("x.normalise", &Options::inputs,
                     {{"bounds", Options::Inputs::bounds}, {"data", Options::Inputs::data}},
                     "inputs scaled by the bounds or by the range of the data"),
  };
}

}  // namespace oscbo
