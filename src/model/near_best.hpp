// The surroundings of the best observation, for which `auto` makes a finer model.
#pragma once

#include <vector>

#include "learners/lengthscale_rule.hpp"
#include "model/search_plan.hpp"

namespace oscbo::model {

/// points_near_best returns the max(2d + 5, min(0.3 n, 200)) observations nearest to the best one,
/// or twice as many if `looks_far`. Here n is the number of observations and d the number of
/// parameters. The nearest come first. Distances are in units of the lengthscales.
[[nodiscard]] std::vector<Index> points_near_best(const learners::Observations& observations,
                                                  const gp::Layout& layout,
                                                  const Vector& lengthscales, bool looks_far);

/// stay_among restricts the plan to the smallest box that holds the points, extended by a tenth on
/// either side. Only numeric parameters that are always active are restricted.
void stay_among(const std::vector<Index>& points, const gp::Inputs& inputs,
                const gp::Layout& layout, SearchPlan& plan);

}  // namespace oscbo::model
