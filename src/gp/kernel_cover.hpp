// The covering number of a set of lengthscales under the metric of the kernel:
//
//   d(theta, theta') = sup over x, x' in the unit cube of |k_theta(x, x') - k_theta'(x, x')|.
#pragma once

#include "gp/kernel_options.hpp"
#include "gp/radial_profile.hpp"

namespace oscbo::gp {

/// kernel_path_length returns the length of the curve theta -> k_theta in the metric d, from
/// theta_min to theta_max. The kernel has one lengthscale, and |x - x'| is at most `diameter`:
///
///   int sup_r |dk/dtheta| dtheta = int sup_{u <= diameter/theta} psi(u) u^2 dlog(theta).
///
/// gp/radial_profile.hpp defines psi.
[[nodiscard]] double kernel_path_length(const RadialProfile& profile, double theta_min,
                                        double theta_max, double diameter);

/// log_covering_number returns the logarithm of the size of an epsilon-cover of the lengthscales in
/// [theta_min, theta_max]. The cover consists of balls of radius epsilon along the curve. With one
/// lengthscale per parameter, the cover is the product of one such cover for each parameter, with
/// balls of radius epsilon / dimension, because d is at most the sum of its values for the single
/// parameters.
[[nodiscard]] double log_covering_number(const KernelOptions& config, Index dimension,
                                         double theta_min, double theta_max, double epsilon);

}  // namespace oscbo::gp
