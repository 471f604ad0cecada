// Describes where a round searches for its point.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gp/basin.hpp"
#include "gp/layout.hpp"

namespace oscbo::model {

using gp::Index;
using gp::Vector;

/// The bounds and the excluded hills (gp/basin.hpp) refer to the inputs of the round's model. The
/// margin is in the units of this model's values. By default, the whole box is searched.
struct SearchPlan {
  /// The part of the box to search, with one entry per parameter. Empty means the whole box.
  /// Categorical and conditional parameters have the entries 0 and 1 and are not restricted.
  Vector lower = {};
  Vector upper = {};
  std::vector<std::shared_ptr<const gp::Basin>> excluded = {};  // hills that have been climbed
  double margin = 0.0;  // a point has to beat the best one by this much

  [[nodiscard]] bool is_whole_box() const { return lower.size() == 0; }

  /// excludes returns whether x is on one of the excluded hills.
  [[nodiscard]] bool excludes(std::span<const double> x) const;

  /// contains returns whether x, a point with this layout, is in the part of the box to search and
  /// on no excluded hill.
  [[nodiscard]] bool contains(const gp::Layout& layout, std::span<const double> x) const;
};

}  // namespace oscbo::model
