// The map from the unit cube to the coordinates that the kernel sees.
#pragma once

#include <vector>

#include "acquisition/search.hpp"
#include "gp/layout.hpp"

namespace oscbo {

/// The identity, or a map of the range of the data to [0, 1]. Only parameters with a single column
/// are scaled.
struct InputScaling {
  numeric::Vector offset;
  numeric::Vector range;

  [[nodiscard]] static InputScaling identity(numeric::Index dimension);
  [[nodiscard]] static InputScaling of(const std::vector<std::vector<double>>& points,
                                       const gp::Layout& layout);

  [[nodiscard]] std::vector<double> to_model(std::vector<double> unit) const;
  [[nodiscard]] std::vector<double> to_unit(const numeric::Vector& model) const;

  /// search_box returns the unit cube in model coordinates.
  [[nodiscard]] acquisition::SearchBox search_box() const;
};

}  // namespace oscbo
