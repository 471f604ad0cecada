#include "space/axis.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.hpp"
#include "base/refusal.hpp"

namespace oscbo::space {
namespace {

using base::refuse;

// Integers up to 2^53 are exact in a double.
constexpr double kMostLevels = 9007199254740992.0;

/// Tells whether a and b differ by no more than rounding errors.
bool is_close(double a, double b, double range) {
  constexpr double kRounding = 1e-9;
  return std::abs(a - b) <= kRounding * range;
}

/// Returns log(a / b) for positive numbers, even if a / b overflows or underflows.
double log_ratio(double a, double b) {
  const double ratio = a / b;
  return std::isfinite(ratio) && ratio > 0.0 ? std::log(ratio) : std::log(a) - std::log(b);
}

/// Returns b exp(log_ratio), even if the exponential overflows. It inverts log_ratio(a, b).
double scaled_by_exp(double b, double log_ratio) {
  const double factor = std::exp(log_ratio);
  return std::isfinite(factor) ? b * factor : std::exp(std::log(b) + log_ratio);
}

/// Returns lower + k step as people would type it: 0.3, not 0.30000000000000004.
double as_typed(double value) {
  constexpr int kDigits = 15;  // a double always holds this many decimal digits
  const std::string text = fmt::format("{:.{}g}", value, kDigits);
  double typed = value;
  std::from_chars(text.data(), text.data() + text.size(), typed);
  return typed;
}

}  // namespace

Axis::Axis(Parameter parameter, const std::string& field) : parameter_(std::move(parameter)) {
  if (parameter_.kind == ParameterKind::boolean) {
    if (!parameter_.values.empty()) refuse(field + ".values", "a bool takes no list of values");
    parameter_.values = {"false", "true"};
  }
  if (is_numeric_range()) {
    check_range(field);
  } else {
    check_values(field);
  }
  levels_ = count_levels();
}

void Axis::check_range(const std::string& field) const {
  const auto [lower, upper] = Bounds{parameter_.lower, parameter_.upper};
  if (!parameter_.values.empty() || !parameter_.levels.empty()) {
    refuse(field + ".values",
           fmt::format("a parameter of type {} takes bounds instead", to_string(parameter_.kind)));
  }
  if (!std::isfinite(lower) || !std::isfinite(upper)) {
    refuse(field,
           fmt::format("[{}, {}] is not accepted; both bounds must be finite", lower, upper));
  }
  if (lower >= upper) {
    refuse(field, fmt::format("lower {} must be below upper {}{}", lower, upper,
                              lower == upper ? "; for a single value, use type fixed" : ""));
  }
  if (!(parameter_.step >= 0.0 && std::isfinite(parameter_.step))) {
    refuse(field + ".step",
           fmt::format("{} is not accepted; use a positive number", parameter_.step));
  }
  if (parameter_.log && !(lower > 0.0)) {
    refuse(field + ".lower",
           fmt::format("{} is not accepted; a logarithmic scale must start above 0", lower));
  }
  if (parameter_.log && parameter_.step > 0.0) {
    refuse(field + ".step", "is not accepted with a logarithmic scale");
  }
  if (parameter_.kind == ParameterKind::integer) {
    for (const double bound : {lower, upper, parameter_.step}) {
      if (bound != std::floor(bound) || std::abs(bound) > kMostLevels) {
        refuse(field, fmt::format("{} is not accepted; bounds and step of an int must be integers "
                                  "up to 2^53",
                                  bound));
      }
    }
  }
  if (parameter_.step > 0.0 && !((upper - lower) / parameter_.step < kMostLevels)) {
    refuse(field + ".step", fmt::format("{} is too small for the range", parameter_.step));
  }
  if (parameter_.step > 0.0 && count_levels() < 2.0) {
    refuse(field + ".step",
           fmt::format("{} is too large for the range: it leaves one value", parameter_.step));
  }
}

void Axis::check_values(const std::string& field) const {
  const std::vector<double>& levels = parameter_.levels;
  const std::vector<std::string>& values = parameter_.values;
  const bool is_named = is_categorical();
  if (is_named ? !levels.empty() : (levels.empty() == values.empty())) {
    refuse(field + ".values",
           fmt::format("a parameter of type {} needs values", to_string(parameter_.kind)));
  }
  const std::size_t count = levels.size() + values.size();
  if (parameter_.kind == ParameterKind::fixed ? count != 1 : count < 2) {
    refuse(field + ".values",
           fmt::format("has {}; {}", base::counted(count, "value"),
                       parameter_.kind == ParameterKind::fixed
                           ? "a fixed parameter has exactly one"
                           : "at least two are needed; for a single value, use type fixed"));
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (!std::isfinite(levels[i]) || (i > 0 && !(levels[i] > levels[i - 1]))) {
      refuse(field + ".values",
             fmt::format("{} is not accepted; ordinal numbers must be finite and increasing",
                         levels[i]));
    }
  }
  std::set<std::string> seen;
  for (const std::string& value : values) {
    if (!seen.insert(value).second)
      refuse(field + ".values", fmt::format("'{}' is named twice", value));
  }
}

double Axis::count_levels() const {
  if (!is_numeric_range()) {
    return static_cast<double>(parameter_.levels.size() + parameter_.values.size());
  }
  const bool is_integer = parameter_.kind == ParameterKind::integer;
  const double step = parameter_.step > 0.0 ? parameter_.step : (is_integer ? 1.0 : 0.0);
  if (step == 0.0) return 0.0;
  // If the step does not divide the range, the upper bound is not a level. If it does so up to
  // rounding, the upper bound is a level.
  constexpr double kRounding = 1e-9;
  return std::floor((parameter_.upper - parameter_.lower) / step + kRounding) + 1.0;
}

bool Axis::has_linear_scale() const { return is_numeric_range() && !parameter_.log; }

Bounds Axis::bounds() const {
  if (is_continuous()) return {.lower = parameter_.lower, .upper = parameter_.upper};
  return {.lower = value_of_level(0.0), .upper = value_of_level(levels_ - 1.0)};
}

bool Axis::accepts(double value) const {
  if (is_continuous()) return value >= parameter_.lower && value <= parameter_.upper;
  if (!std::isfinite(value)) return false;
  const double level = nearest_level(value);
  const double range =
      is_numeric_range() ? parameter_.upper - parameter_.lower : std::abs(value_of_level(level));
  return is_close(value, value_of_level(level), range);
}

std::string Axis::accepted() const {
  if (!parameter_.values.empty())
    return fmt::format("one of {}", fmt::join(parameter_.values, ", "));
  if (!parameter_.levels.empty())
    return fmt::format("one of {}", fmt::join(parameter_.levels, ", "));
  const std::string range = fmt::format("[{}, {}]", parameter_.lower, parameter_.upper);
  if (parameter_.step > 0.0) return fmt::format("in {}, in steps of {}", range, parameter_.step);
  return (parameter_.kind == ParameterKind::integer ? "an integer in " : "in ") + range;
}

double Axis::value_of_level(double level) const {
  const auto entry = static_cast<std::size_t>(level);
  if (!parameter_.levels.empty()) return parameter_.levels[entry];
  if (!parameter_.values.empty()) return level;
  const double step = parameter_.step > 0.0 ? parameter_.step : 1.0;
  const double value = std::min(parameter_.lower + level * step, parameter_.upper);
  return parameter_.kind == ParameterKind::real ? as_typed(value) : value;
}

double Axis::nearest_level(double value) const {
  if (!parameter_.levels.empty()) {
    const auto nearest = std::min_element(
        parameter_.levels.begin(), parameter_.levels.end(),
        [&](double a, double b) { return std::abs(a - value) < std::abs(b - value); });
    return static_cast<double>(nearest - parameter_.levels.begin());
  }
  const double step = is_numeric_range() && parameter_.step > 0.0 ? parameter_.step : 1.0;
  const double first = is_numeric_range() ? parameter_.lower : 0.0;
  return std::clamp(std::round((value - first) / step), 0.0, levels_ - 1.0);
}

// If upper - lower overflows, the bounds are halved before the subtraction.
double Axis::to_coordinate(double value) const {
  if (!is_numeric_range()) return coordinate_of_level(nearest_level(value));
  const auto [lower, upper] = Bounds{parameter_.lower, parameter_.upper};
  if (parameter_.log) {
    return std::clamp(log_ratio(value, lower) / log_ratio(upper, lower), 0.0, 1.0);
  }
  const double factor = std::isfinite(upper - lower) ? 1.0 : 0.5;
  const double range = factor * upper - factor * lower;
  return std::clamp((factor * value - factor * lower) / range, 0.0, 1.0);
}

double Axis::from_coordinate(double coordinate) const {
  if (!is_continuous()) return value_of_level(level_at(coordinate));
  const auto [lower, upper] = Bounds{parameter_.lower, parameter_.upper};
  if (parameter_.log) {
    return std::clamp(scaled_by_exp(lower, coordinate * log_ratio(upper, lower)), lower, upper);
  }
  return std::clamp(lower * (1.0 - coordinate) + upper * coordinate, lower, upper);
}

double Axis::level_at(double coordinate) const {
  if (is_categorical()) return std::clamp(std::round(coordinate), 0.0, levels_ - 1.0);
  if (!is_numeric_range()) return std::round(coordinate * (levels_ - 1.0));
  const auto [lower, upper] = Bounds{parameter_.lower, parameter_.upper};
  const double value = parameter_.log ? lower * std::exp(coordinate * std::log(upper / lower))
                                      : lower + coordinate * (upper - lower);
  return nearest_level(value);
}

double Axis::coordinate_of_level(double level) const {
  if (is_fixed()) return 0.0;
  if (is_categorical()) return level;
  if (!is_numeric_range()) return level / (levels_ - 1.0);
  return to_coordinate(value_of_level(level));
}

// On a logarithmic scale, an integer v gets the share of the interval [v - 1/2, v + 1/2].
double Axis::from_uniform(double u) const {
  if (is_continuous()) return u;
  if (is_numeric_range() && parameter_.log) {
    const double lower = parameter_.lower - 0.5;
    const double upper = parameter_.upper + 0.5;
    return coordinate_of_level(nearest_level(lower * std::exp(u * std::log(upper / lower))));
  }
  return coordinate_of_level(std::min(std::floor(u * levels_), levels_ - 1.0));
}

std::string Axis::text(double value) const {
  if (parameter_.values.empty()) return fmt::format("{}", value);
  return parameter_.values[static_cast<std::size_t>(nearest_level(value))];
}

std::optional<double> Axis::value(std::string_view text) const {
  if (!parameter_.values.empty()) {
    const auto found = std::find(parameter_.values.begin(), parameter_.values.end(), text);
    if (found == parameter_.values.end()) return std::nullopt;
    return static_cast<double>(found - parameter_.values.begin());
  }
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double number = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc() || rest != end || !accepts(number)) return std::nullopt;
  return number;
}

}  // namespace oscbo::space
