#include "gp/kernel.hpp"

#include "gp/additive_kernel.hpp"
#include "gp/kernel_options.hpp"
#include "gp/mixed_kernel.hpp"
#include "gp/network_kernel.hpp"
#include "gp/stationary_kernel.hpp"

namespace oscbo::gp {

void KernelSlopes::ask_for_weights(Index n) {
  first.resize(n, n);
  for (Index j = 0; j < n; ++j) {
    double* const column = first.column(j);
    std::fill(column + numeric::round_down_to_lanes(j), column + j + 1, 0.0);
    std::fill(column + j + 1, column + numeric::round_up_to_lanes(n), 1.0);
  }
}

const PaddedMatrix& KernelSlopes::weights(Index n, const Contraction& contract) {
  second.resize(n, n);
  contract(first, &second);
  return second;
}

KernelHandle make_kernel(const KernelOptions& config, const Layout& layout) {
  if (config.family == KernelOptions::Family::network) {
    return std::make_shared<NetworkKernel>(NetworkArchitecture{
        .depth = config.depth, .activation = config.activation, .normalised = config.normalised});
  }
  if (config.additive) return std::make_shared<AdditiveKernel>(make_profile(config), layout);
  if (layout.is_plain()) return std::make_shared<StationaryKernel>(make_profile(config));
  return std::make_shared<MixedKernel>(make_profile(config), layout);
}

Index parameter_count(const KernelOptions& config, Index parameters) {
  if (config.family == KernelOptions::Family::network) return 2;
  if (config.additive) return 2 * parameters + 1;
  return lengthscale_count(config, parameters);
}

Index lengthscale_count(const KernelOptions& config, Index parameters) {
  return config.ard ? parameters : 1;
}

Vector given_theta(const KernelOptions& config, Index parameters) {
  if (config.family == KernelOptions::Family::network) {
    return Vector{{config.weight_variance, config.bias_variance}};
  }
  return Vector::Constant(parameter_count(config, parameters), config.lengthscale);
}

}  // namespace oscbo::gp
