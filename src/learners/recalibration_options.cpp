#include "learners/recalibration_options.hpp"

#include "base/option.hpp"

namespace oscbo::learners {

std::vector<Option> recalibration_options() {
  using Options = RecalibrationOptions;
  return {
      option::choice(
          "ocbo.update", &Options::kind,
          {{"empirical", Options::Kind::empirical}, {"sequential", Options::Kind::sequential}},
          "calibrated level: the empirical quantile, or a quantile updated online"),
      option::number("ocbo.eta", &Options::rate, {0, 1e3}, "step of the sequential update"),
      option::optional_number("ocbo.floor", &Options::floor, "none", {-option::kAny, option::kAny},
                              "smallest confidence multiplier"),
      option::flag("ocbo.loo_refit", &Options::refit_folds,
                   "learn the lengthscales again for every left-out point"),
  };
}

}  // namespace oscbo::learners
