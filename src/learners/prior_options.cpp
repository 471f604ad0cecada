#include "learners/prior_options.hpp"

#include "base/option.hpp"

namespace oscbo::learners {

std::vector<Option> prior_options() {
  using Options = PriorOptions;
  return {
      option::number("prior.location", &Options::location, {-1e3, 1e3},
                     "mean of the log of a lengthscale, to which log(d)/2 is added"),
      option::number("prior.scale", &Options::scale, {0, 1e3, option::Ends::open},
                     "sd of the log of a lengthscale; auto: of the mean of their logs"),
      option::number("prior.deviation", &Options::deviation, {0, 1e3, option::Ends::open},
                     "auto only: sd of the logs of the lengthscales about their mean"),
      option::choice("prior.noise", &Options::noise,
                     {{"fixed", Options::Noise::fixed}, {"learned", Options::Noise::learned}},
                     "noise variance: the option noise_variance, or learned with a prior"),
  };
}

}  // namespace oscbo::learners
