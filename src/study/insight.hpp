// What a study has learned: which parameters matter, and why a point was chosen.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "oscbo/study.hpp"

namespace oscbo::study {

/// Returns the model's mean at points of the space.
using MeanAt = std::function<std::vector<double>(const std::vector<std::vector<double>>& points)>;

/// shares_of_variance returns the total effect of each parameter. Let f be the model's mean, and
/// Var f its variance over the space. The total effect is the share of Var f that remains if all
/// other parameters are known. Jansen's estimator is the mean of (f(x) - f(x'))^2 / (2 Var f),
/// where x' is x with this parameter taken from another point. If x' violates the constraints, a
/// nearby point with the same value of this parameter replaces x'. If there is none, the pair is
/// left out. If f is constant, all shares are 0.
[[nodiscard]] std::vector<double> shares_of_variance(const Space& space, const MeanAt& mean_at,
                                                     int samples, std::uint64_t seed);

/// lengthscales_of returns the lengthscales of a prediction. The list is empty if the kernel has
/// other hyperparameters instead.
[[nodiscard]] std::vector<double> lengthscales_of(const StudyDeclaration& declaration,
                                                  const Prediction& prediction);

/// by_lengthscale returns 1 / lengthscale of each parameter, divided by the sum over all
/// parameters. Fixed parameters get 0. If there is only one lengthscale, all parameters that are
/// not fixed get the same value. Without lengthscales, all values are NaN.
[[nodiscard]] std::vector<double> by_lengthscale(const Space& space,
                                                 std::span<const double> lengthscales);

/// distance returns the distance between two points, in units of the lengthscales. Numbers are
/// compared in the unit interval. Two different categories are 1 apart, and so are an active and an
/// inactive parameter. Without lengthscales, each lengthscale counts as 1.
[[nodiscard]] double distance(const Space& space, std::span<const double> lengthscales,
                              std::span<const double> a, std::span<const double> b);

/// exploration_share returns how much of the expected improvement on `best` comes from uncertainty.
/// The expected improvement is m Phi(u) + sd phi(u), where m is the distance of the mean beyond
/// `best`, u = m / sd, and Phi and phi are the standard normal distribution function and density.
/// The result is the share of the second term, or 1 if m <= 0.
[[nodiscard]] double exploration_share(const Prediction& prediction, double best, Goal goal);

}  // namespace oscbo::study
