#include "problems/point_check.hpp"

#include <fmt/format.h>

#include "oscbo/error.hpp"

namespace oscbo {

void require_coordinates(const std::string& task, std::size_t dimension,
                         std::span<const double> x) {
  if (x.size() == dimension) return;
  throw Error(
      ErrorCode::invalid_value, "x",
      fmt::format("has length {}; {} takes points of length {}", x.size(), task, dimension));
}

}  // namespace oscbo
