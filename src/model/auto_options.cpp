#include "model/auto_options.hpp"

#include "base/option.hpp"

namespace oscbo::model {

std::vector<Option> auto_options() {
  using Options = AutoOptions;
  return {
      option::integer(
          "auto.near_best_every", &Options::near_best_every, {0, 1e6},
          "with no hill locked, every n-th round searches near the best point; 0: none does"),
      option::number(
          "auto.locks_below", &Options::locks_below, {0, 1e3},
          "expected improvement, in sd of y, below which a hill counts as climbed and is locked"),
      option::integer("auto.return_every", &Options::return_every, {1, 1e6},
                      "with hills locked, every n-th round searches near the best point"),
      option::number(
          "auto.noisy_above", &Options::noisy_above, {0, 1e3},
          "if the noise sd, in sd of y, is above this, every round searches the whole box"),
      option::number("auto.noise_margin", &Options::noise_margin, {0, 1e3},
                     "with noise above auto.noisy_above, only improvement beyond the best mean "
                     "plus this many noise sds counts"),
  };
}

}  // namespace oscbo::model
