// The forms of a point. The user's values are a std::vector<double> x (oscbo/space.hpp). Every
// other form is a type of its own, so that the compiler refuses one form where another one belongs:
//
//   Uniforms      numbers in [0, 1] that a design or a random stream chooses
//   Coordinates   the values on the scales of their parameters (axis.hpp)
//   Columns       what a kernel sees
//
// The conversions:
//
//   Region::draw            Uniforms to Coordinates that satisfy constraints and given values
//   Domain::to_coordinates  values to Coordinates, and from_coordinates back
//   Domain::to_columns      Coordinates to Columns; from_columns back, for boxes
#pragma once

#include <compare>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "numeric/padded_matrix.hpp"

namespace oscbo::space {

/// A point in the form that `Form` names: contiguous doubles. It is not a range, because a range
/// would silently convert to a span, and functions that take the user's values take a span.
template <class Form>
class Point {
 public:
  Point() = default;
  explicit Point(std::size_t size, double entry = 0.0) : entries_(size, entry) {}
  Point(std::initializer_list<double> entries) : entries_(entries) {}
  explicit Point(std::vector<double> entries) : entries_(std::move(entries)) {}
  explicit Point(const numeric::Vector& entries) : entries_(entries.begin(), entries.end()) {}

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] double& operator[](std::size_t k) { return entries_[k]; }
  [[nodiscard]] double operator[](std::size_t k) const { return entries_[k]; }

  /// entries and vector return the numbers without their form, for code that needs none.
  [[nodiscard]] std::span<double> entries() { return entries_; }
  [[nodiscard]] std::span<const double> entries() const { return entries_; }
  [[nodiscard]] Eigen::Map<const numeric::Vector> vector() const {
    return {entries_.data(), static_cast<numeric::Index>(entries_.size())};
  }

  bool operator==(const Point&) const = default;
  auto operator<=>(const Point&) const = default;

 private:
  std::vector<double> entries_;
};

/// One number for each parameter that is not fixed.
using Uniforms = Point<struct UniformForm>;

/// One number for each parameter. It is in [0, 1], or the position of a category.
using Coordinates = Point<struct CoordinateForm>;

/// One, two or no numbers for each parameter (domain.hpp).
using Columns = Point<struct ColumnForm>;

}  // namespace oscbo::space
