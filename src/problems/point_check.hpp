// What every problem asks of a point before it evaluates it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace oscbo {

/// require_coordinates throws Error (invalid_value) unless `x` has as many as `task` takes.
void require_coordinates(const std::string& task, std::size_t dimension, std::span<const double> x);

}  // namespace oscbo
