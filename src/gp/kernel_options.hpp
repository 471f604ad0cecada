// The options of a kernel.
#pragma once

#include <vector>

namespace oscbo {
struct Option;
}

namespace oscbo::gp {

struct KernelOptions {
  enum class Family { matern, rbf, network };
  enum class Activation { relu, erf };

  Family family = Family::matern;
  double nu = 2.5;        // Matern smoothness, > 0
  bool ard = false;       // one lengthscale per parameter instead of one for all
  bool additive = false;  // adds functions of single parameters to the kernel; needs ard
  // The network kernel learns the variances of weights and biases in place of lengthscales.
  int depth = 3;  // hidden layers
  Activation activation = Activation::relu;
  bool normalised = true;  // divided by its largest variance over the box
  // Used by the rule `fixed`; the other rules learn these.
  double lengthscale = 0.5;
  double weight_variance = 10.0;
  double bias_variance = 1.3;
};

[[nodiscard]] std::vector<Option> kernel_options();

}  // namespace oscbo::gp
