// The options of the method scgp (docs/methods.md).
#pragma once

#include <vector>

namespace oscbo {
struct Option;
}

namespace oscbo::learners {

/// A second Gaussian process for the spread, calibrated on held-out points.
struct SharpOptions {
  enum class Split { each_round, per_seed };
  enum class Condition { all, training };
  enum class Quantile { linear, conformal };

  Split split = Split::each_round;
  double calibration_fraction = 0.2;
  Condition condition = Condition::all;
  bool spread_includes_noise = true;
  Quantile quantile = Quantile::linear;
  double multiplier_floor = 0.0;
  double adam_rate = 0.05;
  int adam_steps = 50;
  int restarts = 5;
};

[[nodiscard]] std::vector<Option> sharp_options();

}  // namespace oscbo::learners
