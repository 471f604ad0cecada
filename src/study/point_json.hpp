// Points as JSON, in the form that programs read.
#pragma once

#include <span>

#include "oscbo/space.hpp"
#include "text/strict_json.hpp"

namespace oscbo::study {

/// point_json returns an object with the values of the active parameters: numbers, true or false,
/// and names of categories.
[[nodiscard]] text::Json point_json(const Space& space, std::span<const double> x);

}  // namespace oscbo::study
