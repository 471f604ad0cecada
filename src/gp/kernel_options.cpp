#include "gp/kernel_options.hpp"

#include "base/option.hpp"

namespace oscbo::gp {

std::vector<Option> kernel_options() {
  using Options = KernelOptions;
  return {
      option::choice("kernel", &Options::family,
                     {{"matern", Options::Family::matern},
                      {"rbf", Options::Family::rbf},
                      {"ibnn", Options::Family::network}},
                     "kernel family; ibnn: an infinitely wide Bayesian neural network"),
      option::number("kernel.nu", &Options::nu, {0.01, 1e5}, "smoothness of the Matern kernel"),
      option::flag("kernel.ard", &Options::ard,
                   "one lengthscale per parameter instead of one for all"),
      option::flag(
          "kernel.additive", &Options::additive,
          "add functions of single parameters to the kernel (only auto with kernel.ard=true)"),
      option::integer("kernel.depth", &Options::depth, {1, 20}, "hidden layers of the ibnn kernel"),
      option::choice("kernel.activation", &Options::activation,
                     {{"relu", Options::Activation::relu}, {"erf", Options::Activation::erf}},
                     "activation of the ibnn kernel"),
      option::flag("kernel.normalised", &Options::normalised,
                   "divide the ibnn kernel by its largest variance over the box"),
      option::number("kernel.lengthscale", &Options::lengthscale, {1e-6, 1e6},
                     "lengthscale of learner=fixed; other learners learn theirs"),
      option::number("kernel.weight_variance", &Options::weight_variance, {1e-6, 1e6},
                     "variance of the weights of the ibnn kernel with learner=fixed"),
      option::number("kernel.bias_variance", &Options::bias_variance, {1e-6, 1e6},
                     "variance of the biases of the ibnn kernel with learner=fixed"),
  };
}

}  // namespace oscbo::gp
