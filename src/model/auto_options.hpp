// The options of auto.
#pragma once

#include <vector>

namespace oscbo {
struct Option;
}

namespace oscbo::model {

/// Which part of the box a round searches, and when observations count as noisy. A hill that has
/// been climbed is locked, so that searches skip it. Improvements and noise are measured in
/// standard deviations of the observations.
struct AutoOptions {
  int near_best_every = 2;    // no hill locked: every n-th round is near the best point; 0: none
  double locks_below = 5e-4;  // a hill counts as climbed below this expected improvement; 0: never
  int return_every = 5;       // any hill locked: every n-th round searches near the best point
  double noisy_above = 0.1;   // above this noise sd, every round searches the whole box
  double noise_margin = 1.0;  // then a point must beat the best one by this many noise sds
};

[[nodiscard]] std::vector<Option> auto_options();

}  // namespace oscbo::model
