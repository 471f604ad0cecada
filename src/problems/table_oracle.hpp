// A function on the whole box, made from the measurements of a table.
//
// A design is a point at which the table has measurements; a query is a point at which the function
// is evaluated. Measurements at the same design are averaged. A query is clipped to the bounding
// box of the designs, and each of its coordinates is scaled to [0, 1]. If the designs fill a
// rectangular grid, the values are interpolated multilinearly. Otherwise the k = 12 nearest designs
// are weighted by their inverse squared distance,
//
//   f(x) = sum_i w_i y_i / sum_i w_i,  w_i = (|x - x_i| + epsilon)^-2,  epsilon = 1e-12.
//
// The designs of experiments often lie on a lattice, where distances are equal up to rounding. So
// distances within epsilon of the 12th one count as equal to it, and the designs that appear first
// in the table win such ties. A query within epsilon of a design has the value of the design.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "oscbo/problem.hpp"

namespace oscbo::tables {

/// Distinct designs and their values.
struct Designs {
  std::size_t dimension = 0;
  std::vector<double> inputs;  // the coordinates, design by design
  std::vector<double> values;

  [[nodiscard]] std::size_t size() const { return values.size(); }
  [[nodiscard]] std::span<const double> at(std::size_t index) const {
    return {inputs.data() + index * dimension, dimension};
  }
};

/// average_replicates returns the distinct rows of `inputs` in the order of their first appearance,
/// each with the mean of its values. Two rows are equal if all their coordinates are equal.
[[nodiscard]] Designs average_replicates(std::size_t dimension, std::span<const double> inputs,
                                         std::span<const double> values);

/// The interpolation of an oracle. Queries are already clipped to the box.
class Interpolation {
 public:
  Interpolation() = default;
  Interpolation(const Interpolation&) = delete;
  Interpolation(Interpolation&&) = delete;
  Interpolation& operator=(const Interpolation&) = delete;
  Interpolation& operator=(Interpolation&&) = delete;
  virtual ~Interpolation() = default;
  [[nodiscard]] virtual double value(std::span<const double> x) const = 0;
};

class TableOracle {
 public:
  /// Requires that every coordinate takes at least two values in a finite range.
  explicit TableOracle(const Designs& designs);

  /// Returns the value at x, or NaN if a coordinate is NaN. May be called from several threads at
  /// once.
  [[nodiscard]] double operator()(std::span<const double> x) const;

  [[nodiscard]] const std::vector<Bounds>& bounds() const { return bounds_; }
  [[nodiscard]] bool is_grid() const { return is_grid_; }

 private:
  std::vector<Bounds> bounds_;
  double lowest_;
  double highest_;
  bool is_grid_ = false;
  std::unique_ptr<const Interpolation> interpolation_;
};

}  // namespace oscbo::tables
