// A hill of a posterior mean that has been searched: the points from which the mean leads up to its
// summit.
#pragma once

#include <vector>

#include "gp/posterior.hpp"

namespace oscbo::gp {

/// Immutable: const calls from several threads are safe.
class Basin {
 public:
  /// Of the mean `mean`, on the unit cube; distances are measured in `lengthscales`.
  Basin(MeanFunction mean, std::vector<double> summit, const Vector& lengthscales);

  /// contains tells whether steepest ascent from x comes close to the summit before it has gone a
  /// long way: without that limit a single peak would attract the whole box.
  [[nodiscard]] bool contains(std::span<const double> x) const;

 private:
  [[nodiscard]] double distance_to_summit(const std::vector<double>& x) const;  // in lengthscales

  MeanFunction mean_;
  std::vector<double> summit_;
  Vector lengthscales_;
};

}  // namespace oscbo::gp
