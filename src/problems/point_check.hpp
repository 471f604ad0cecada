// The check that every problem makes before it evaluates a point.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace oscbo {

/// require_coordinates throws Error (invalid_value) unless `x` has `dimension` coordinates. The
/// error names `task`.
void require_coordinates(const std::string& task, std::size_t dimension, std::span<const double> x);

}  // namespace oscbo
