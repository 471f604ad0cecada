// The options of the method ocbo (docs/methods.md).
#pragma once

#include <optional>
#include <vector>

namespace oscbo {
struct Option;
}

namespace oscbo::learners {

/// How the confidence multiplier is recalibrated on leave-one-out predictions.
struct RecalibrationOptions {
  enum class Kind { empirical, sequential };

  Kind kind = Kind::empirical;
  double rate = 1.0;            // step of the sequential quantile update
  std::optional<double> floor;  // of the multiplier
  bool refit_folds = false;     // learn the lengthscales again for every left-out point
};

[[nodiscard]] std::vector<Option> recalibration_options();

}  // namespace oscbo::learners
