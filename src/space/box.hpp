// A box of real parameters and its map to the unit cube.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace oscbo::space {

struct Side {
  double lower = 0.0;
  double upper = 1.0;
};

class Box {
 public:
  /// Throws Error (invalid_value) for no sides, a bound that is not finite, or lower >= upper.
  explicit Box(std::vector<Side> sides);

  [[nodiscard]] std::size_t dimension() const { return sides_.size(); }

  /// check refuses a point of the wrong dimension, with a coordinate that is not finite, or outside
  /// the box: Error (invalid_value) naming `field` and the coordinate.
  void check(std::span<const double> x, const std::string& field) const;

  [[nodiscard]] std::vector<double> to_unit(std::span<const double> x) const;
  [[nodiscard]] std::vector<double> from_unit(std::span<const double> u) const;

 private:
  std::vector<Side> sides_;
};

}  // namespace oscbo::space
