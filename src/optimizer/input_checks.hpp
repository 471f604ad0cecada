// Checks of an optimizer's input. Each throws an Error (invalid_value) that names the field.
#pragma once

#include <span>

#include "oscbo/optimizer.hpp"

namespace oscbo {

/// check_space refuses a space that is too large to search or that does not fit `config`.
void check_space(const Space& space, const Config& config);

/// check_measurement refuses numbers that are not finite, a negative variance, and a number of
/// values that differs from the number of objectives or of outcomes.
void check_measurement(const Measurement& measurement, std::span<const Objective> objectives,
                       const Space& space);

/// check_reference refuses a lengthscale that the theory cannot use as its reference.
void check_reference(double lengthscale, const Config& config);

}  // namespace oscbo
