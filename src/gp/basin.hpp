// A hill of a posterior mean: the points from which steepest ascent leads to its summit. Searches
// exclude hills that have been climbed already.
#pragma once

#include <vector>

#include "gp/posterior.hpp"

namespace oscbo::gp {

/// Immutable: const calls from several threads are safe.
class Basin {
 public:
  /// The domain of `mean` is the unit cube. Distances are measured in `lengthscales`. A lengthscale
  /// above 0.5 counts as 0.5.
  Basin(MeanFunction mean, std::vector<double> summit, const Vector& lengthscales);

  /// contains tells whether steepest ascent from x comes within 0.3 lengthscales of the summit on a
  /// path of at most 1.7 lengthscales. Without a limit on the path, a single peak would attract the
  /// whole box.
  [[nodiscard]] bool contains(std::span<const double> x) const;

 private:
  [[nodiscard]] double distance_to_summit(const std::vector<double>& x) const;  // in lengthscales

  MeanFunction mean_;
  std::vector<double> summit_;
  Vector lengthscales_;
};

}  // namespace oscbo::gp
