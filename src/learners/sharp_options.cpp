#include "learners/sharp_options.hpp"

#include "base/option.hpp"

namespace oscbo::learners {

std::vector<Option> sharp_options() {
  using Options = SharpOptions;
  return {
      option::choice(
          "scgp.split", &Options::split,
          {{"each_round", Options::Split::each_round}, {"per_seed", Options::Split::per_seed}},
          "when the calibration points are drawn"),
      option::number("scgp.fraction", &Options::calibration_fraction, {0, 1, option::Ends::open},
                     "fraction of the points held out for calibration"),
      option::choice("scgp.condition", &Options::condition,
                     {{"all", Options::Condition::all}, {"train", Options::Condition::training}},
                     "points that the model of the acquisition is conditioned on"),
      option::flag("scgp.acq_noise", &Options::spread_includes_noise,
                   "the acquisition's standard deviation includes the noise"),
      option::choice(
          "scgp.quantile", &Options::quantile,
          {{"linear", Options::Quantile::linear}, {"conformal", Options::Quantile::conformal}},
          "quantile of the standardised residuals"),
      option::number("scgp.beta_floor", &Options::multiplier_floor, {-option::kAny, option::kAny},
                     "smallest confidence multiplier"),
      option::number("scgp.lr", &Options::adam_rate, {1e-9, 1e3},
                     "Adam learning rate of the calibration lengthscale"),
      option::integer("scgp.steps", &Options::adam_steps, {1, 1e6},
                      "Adam steps of the calibration lengthscale"),
      option::integer("scgp.restarts", &Options::restarts, {1, 1000},
                      "starts of the calibration lengthscale"),
  };
}

}  // namespace oscbo::learners
