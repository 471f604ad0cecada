#include "space/box.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "oscbo/error.hpp"

namespace oscbo::space {

Box::Box(std::vector<Side> sides) : sides_(std::move(sides)) {
  if (sides_.empty()) {
    throw Error(ErrorCode::invalid_value, "bounds", "empty; at least one parameter is needed");
  }
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    const auto [lower, upper] = sides_[k];
    if (!std::isfinite(lower) || !std::isfinite(upper)) {
      throw Error(
          ErrorCode::invalid_value, fmt::format("bounds[{}]", k),
          fmt::format("[{}, {}] is not accepted; both bounds must be finite", lower, upper));
    }
    if (lower >= upper) {
      throw Error(ErrorCode::invalid_value, fmt::format("bounds[{}]", k),
                  fmt::format("lower {} must be below upper {}", lower, upper));
    }
  }
}

void Box::check(std::span<const double> x, const std::string& field) const {
  if (x.size() != dimension()) {
    throw Error(ErrorCode::invalid_value, field,
                fmt::format("has {} coordinates; {} are needed", x.size(), dimension()));
  }
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto [lower, upper] = sides_[k];
    if (!(x[k] >= lower && x[k] <= upper)) {
      throw Error(ErrorCode::invalid_value, fmt::format("{}[{}]", field, k),
                  fmt::format("{} is not accepted; it must lie in [{}, {}]", x[k], lower, upper));
    }
  }
}

// Halved before subtracting where a box as wide as the range of double does not overflow.
std::vector<double> Box::to_unit(std::span<const double> x) const {
  std::vector<double> u(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto [lower, upper] = sides_[k];
    const double factor = std::isfinite(upper - lower) ? 1.0 : 0.5;
    const double range = factor * upper - factor * lower;
    u[k] = std::clamp((factor * x[k] - factor * lower) / range, 0.0, 1.0);
  }
  return u;
}

std::vector<double> Box::from_unit(std::span<const double> u) const {
  std::vector<double> x(u.size());
  for (std::size_t k = 0; k < u.size(); ++k) {
    const auto [lower, upper] = sides_[k];
    x[k] = std::clamp(lower * (1.0 - u[k]) + upper * u[k], lower, upper);
  }
  return x;
}

}  // namespace oscbo::space
