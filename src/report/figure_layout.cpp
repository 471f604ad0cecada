#include "report/figure_layout.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "oscbo/error.hpp"

namespace oscbo::report {
namespace {

constexpr Range kEmptyRange{.low = std::numeric_limits<double>::infinity(),
                            .high = -std::numeric_limits<double>::infinity()};

bool is_colour(std::string_view text) {
  return text.size() == 7 && text.front() == '#' &&
         std::ranges::all_of(text.substr(1),
                             [](unsigned char digit) { return std::isxdigit(digit) != 0; });
}

void check_series(const Figure& figure, const Series& series) {
  const auto refuse = [&](std::string_view what) {
    throw Error(ErrorCode::invalid_value, fmt::format("figure {}", figure.name),
                fmt::format("series '{}' has {}", series.label, what));
  };
  const auto fits = [&](const std::vector<double>& errors) {
    return errors.empty() || errors.size() == series.y.size();
  };
  if (series.x.size() != series.y.size()) refuse("x and y of unequal lengths");
  if (series.lower.size() != series.upper.size()) refuse("lower and upper of unequal lengths");
  if (!fits(series.lower)) refuse("y and lower of unequal lengths");
  if (!is_colour(series.colour)) refuse(fmt::format("the colour '{}'", series.colour));
}

/// including returns the range extended to a value, if that is finite.
Range including(Range range, double value) {
  if (!std::isfinite(value)) return range;
  return {.low = std::min(range.low, value), .high = std::max(range.high, value)};
}

Range joined_ranges(Range a, Range b) {
  return {.low = std::min(a.low, b.low), .high = std::max(a.high, b.high)};
}

/// category_range returns the range from -0.5 to n - 0.5, in which every category has the same
/// room.
Range category_range(const Axis& axis) {
  return {.low = -0.5, .high = static_cast<double>(axis.categories.size()) - 0.5};
}

}  // namespace

void check_figure(const Figure& figure) {
  if (figure.name.empty() || figure.name.front() == '.' ||
      figure.name.find('/') != std::string::npos || figure.name.find('\0') != std::string::npos) {
    throw Error(ErrorCode::invalid_value, "figure",
                fmt::format("'{}' cannot be the name of a file", figure.name));
  }
  for (const Panel& panel : figure.panels) {
    for (const Series& series : panel.series) check_series(figure, series);
  }
}

double shown_value(double value, const Axis& axis) {
  // std::max would turn NaN into the bound.
  return axis.logarithmic && value < kLowestLogValue ? kLowestLogValue : value;
}

Range x_range(const Panel& panel) {
  if (!panel.x.categories.empty()) return category_range(panel.x);
  Range range = kEmptyRange;
  for (const Series& series : panel.series) {
    for (const double x : series.x) range = including(range, shown_value(x, panel.x));
  }
  return range;
}

Range y_range(const Series& series, const Axis& axis) {
  Range range = kEmptyRange;
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    const double y = shown_value(series.y[i], axis);
    range = including(range, y);
    if (series.lower.empty() || !std::isfinite(y)) continue;
    const double lower = shown_value(series.lower[i], axis);
    range = including(range, axis.logarithmic ? std::max(lower, y / 3.0) : lower);
    range = including(range, shown_value(series.upper[i], axis));
  }
  return range;
}

Range y_range(const Panel& panel) {
  if (!panel.y.categories.empty()) return category_range(panel.y);
  Range range = kEmptyRange;
  for (const Series& series : panel.series) {
    range = joined_ranges(range, y_range(series, panel.y));
  }
  return range;
}

Range padded(Range range, const Axis& axis, double share) {
  if (!axis.categories.empty()) return range;
  if (range.empty()) return {.low = axis.logarithmic ? 0.1 : 0.0, .high = 1.0};
  if (axis.logarithmic) {
    if (range.low == range.high) return {.low = range.low / 2.0, .high = range.high * 2.0};
    const double factor = std::pow(range.high / range.low, share);
    return {.low = range.low / factor, .high = range.high * factor};
  }
  const double length = range.high - range.low;
  const double room = length > 0.0 ? share * length : std::max(0.5, 0.05 * std::abs(range.low));
  return {.low = range.low - room, .high = range.high + room};
}

std::vector<Series> legend_entries(const Figure& figure) {
  std::vector<Series> entries;
  for (const Panel& panel : figure.panels) {
    for (const Series& series : panel.series) {
      if (series.label.empty()) continue;
      if (std::ranges::find(entries, series.label, &Series::label) != entries.end()) continue;
      entries.push_back({.label = series.label,
                         .colour = series.colour,
                         .mark = series.mark,
                         .dash = series.dash,
                         .size = series.size});
    }
  }
  return entries;
}

}  // namespace oscbo::report
