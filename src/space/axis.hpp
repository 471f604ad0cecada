// An axis maps the values of one parameter to coordinates:
//
//   numbers      a position in [0, 1] on the scale of the parameter: 0 is the lowest value, 1 the
//                highest; ordinal values are evenly spaced
//   categories   the position among the values: 0, 1, 2, ...
//
// A parameter that is not continuous has levels, numbered from 0 in the order of their coordinates.
// Coordinates between levels are never used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "oscbo/space.hpp"

namespace oscbo::space {

class Axis {
 public:
  /// Throws Error (invalid_value) naming `field` if the parameter contradicts itself.
  Axis(Parameter parameter, const std::string& field);

  [[nodiscard]] const Parameter& parameter() const { return parameter_; }
  [[nodiscard]] const std::string& name() const { return parameter_.name; }

  [[nodiscard]] bool is_categorical() const {
    return parameter_.kind == ParameterKind::categorical ||
           parameter_.kind == ParameterKind::boolean;
  }
  [[nodiscard]] bool is_fixed() const { return levels_ == 1.0; }
  [[nodiscard]] bool is_continuous() const { return levels_ == 0.0; }

  /// has_linear_scale tells whether value = lower + coordinate (upper - lower).
  [[nodiscard]] bool has_linear_scale() const;

  /// levels returns the number of levels, an integer. It is 0 if the parameter is continuous.
  [[nodiscard]] double levels() const { return levels_; }

  /// bounds returns the smallest and the largest value.
  [[nodiscard]] Bounds bounds() const;

  // --- value, coordinate, level, text ------------------------------------------------------------

  /// accepts tells whether the parameter can take this value. accepted describes the values that it
  /// can take.
  [[nodiscard]] bool accepts(double value) const;
  [[nodiscard]] std::string accepted() const;

  [[nodiscard]] double to_coordinate(double value) const;
  [[nodiscard]] double from_coordinate(double coordinate) const;

  [[nodiscard]] double level_at(double coordinate) const;
  [[nodiscard]] double coordinate_of_level(double level) const;

  /// from_uniform maps [0, 1] to coordinates. Levels have equal shares of [0, 1], except that on a
  /// logarithmic scale the shares of small numbers are larger.
  [[nodiscard]] double from_uniform(double u) const;

  [[nodiscard]] std::string text(double value) const;
  [[nodiscard]] std::optional<double> value(std::string_view text) const;

 private:
  void check_range(const std::string& field) const;
  void check_values(const std::string& field) const;
  [[nodiscard]] double count_levels() const;
  [[nodiscard]] bool is_numeric_range() const {
    return parameter_.kind == ParameterKind::real || parameter_.kind == ParameterKind::integer;
  }
  [[nodiscard]] double value_of_level(double level) const;
  [[nodiscard]] double nearest_level(double value) const;

  Parameter parameter_;
  double levels_ = 0.0;
};

}  // namespace oscbo::space
