// What an optimizer refuses: Error (invalid_value) naming the field.
#pragma once

#include <span>

#include "oscbo/optimizer.hpp"

namespace oscbo {

/// check_space refuses a space that is too large to be searched, or that `config` is not for.
void check_space(const Space& space, const Config& config);

/// check_measurement refuses numbers that are not finite, a negative variance, and more or fewer
/// values than there are objectives, or outcomes than the space has.
void check_measurement(const Measurement& measurement, std::span<const Objective> objectives,
                       const Space& space);

/// check_reference refuses a lengthscale that the theory cannot be held against.
void check_reference(double lengthscale, const Config& config);

}  // namespace oscbo
