#include "gp/kernel.hpp"

#include "gp/stationary_kernel.hpp"

namespace oscbo::gp {

KernelHandle make_kernel(const KernelConfig& config) {
  return std::make_shared<StationaryKernel>(make_profile(config));
}

Index parameter_count(const KernelConfig& config, Index dimension) {
  return config.ard ? dimension : 1;
}

}  // namespace oscbo::gp
