#include "gp/kernel.hpp"

#include "gp/additive_kernel.hpp"
#include "gp/network_kernel.hpp"
#include "gp/stationary_kernel.hpp"

namespace oscbo::gp {

KernelHandle make_kernel(const KernelConfig& config) {
  if (config.family == KernelFamily::network) {
    return std::make_shared<NetworkKernel>(NetworkArchitecture{
        .depth = config.depth, .activation = config.activation, .normalised = config.normalised});
  }
  if (config.additive) return std::make_shared<AdditiveKernel>(make_profile(config));
  return std::make_shared<StationaryKernel>(make_profile(config));
}

Index parameter_count(const KernelConfig& config, Index dimension) {
  if (config.family == KernelFamily::network) return 2;
  if (config.additive) return 2 * dimension + 1;
  return lengthscale_count(config, dimension);
}

Index lengthscale_count(const KernelConfig& config, Index dimension) {
  return config.ard ? dimension : 1;
}

Vector given_theta(const KernelConfig& config, Index dimension) {
  if (config.family == KernelFamily::network) {
    return Vector{{config.weight_variance, config.bias_variance}};
  }
  return Vector::Constant(parameter_count(config, dimension), config.lengthscale);
}

}  // namespace oscbo::gp
