// The covering number of a set of lengthscales under the metric of the kernel:
//
//   d(theta, theta') = sup over x, x' in the unit cube of |k_theta(x, x') - k_theta'(x, x')|.
#pragma once

#include "gp/kernel_options.hpp"
#include "gp/radial_profile.hpp"

namespace oscbo::gp {

/// kernel_path_length returns the length of the curve theta -> k_theta, from theta_min to
/// theta_max, under d, for one lengthscale and distances up to `diameter`:
///
///   int sup_r |dk/dtheta| dtheta = int sup_{u <= diameter/theta} psi(u) u^2 dlog(theta).
[[nodiscard]] double kernel_path_length(const RadialProfile& profile, double theta_min,
                                        double theta_max, double diameter);

/// log_covering_number returns the logarithm of the size of an epsilon-cover of the lengthscales in
/// [theta_min, theta_max]. The cover consists of balls of radius epsilon along the curve. With one
/// lengthscale per parameter, it is the product of one such cover per parameter, each of radius
/// epsilon / dimension, because the metric is at most the sum over the parameters.
[[nodiscard]] double log_covering_number(const KernelOptions& config, Index dimension,
                                         double theta_min, double theta_max, double epsilon);

}  // namespace oscbo::gp
