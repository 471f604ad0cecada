// The options of priors on hyperparameters.
#pragma once

#include <vector>

namespace oscbo {
struct Option;
}

namespace oscbo::learners {

/// Every lengthscale has a log-normal prior: its logarithm has mean location + log(d) / 2 and sd
/// scale, where d is the number of parameters. In auto, the mean of all these logarithms has this
/// prior.
struct PriorOptions {
  enum class Noise { fixed, learned };

  double location = 1.4142135623730951;
  double scale = 1.7320508075688772;
  double deviation = 0.5;  // auto only: sd of the logarithms about their mean
  Noise noise = Noise::fixed;
};

[[nodiscard]] std::vector<Option> prior_options();

}  // namespace oscbo::learners
