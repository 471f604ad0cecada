// What a study has learned, for people: which parameters matter, and why a point was chosen.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "oscbo/study.hpp"

namespace oscbo::study {

/// Values of the model's mean at points of the space.
using MeanAt = std::function<std::vector<double>(const std::vector<std::vector<double>>& points)>;

/// shares_of_variance returns, for each parameter, the share of the variance of the mean over the
/// space that goes when the parameter is known along with all others, its total effect: the mean of
/// (f(x) - f(x'))^2 / (2 Var f), where x' is x with this parameter from another point (Jansen's
/// estimator). Points that constraints exclude are left out. 0 for all where f is constant.
[[nodiscard]] std::vector<double> shares_of_variance(const Space& space, const MeanAt& mean_at,
                                                     int samples, std::uint64_t seed);

/// lengthscales_of returns those of a prediction; none of a kernel that has other settings instead.
[[nodiscard]] std::vector<double> lengthscales_of(const StudyDeclaration& declaration,
                                                  const Prediction& prediction);

/// by_lengthscale returns 1 / lengthscale of each parameter, divided by their sum; fixed parameters
/// have 0, and where there is one lengthscale for all, all others are alike. NaN without any.
[[nodiscard]] std::vector<double> by_lengthscale(const Space& space,
                                                 std::span<const double> lengthscales);

/// distance returns that of two points in lengthscales: of numbers in the unit interval, and 1 for
/// different categories or where one of the two is not active. Without any, they count as 1.
[[nodiscard]] double distance(const Space& space, std::span<const double> lengthscales,
                              std::span<const double> a, std::span<const double> b);

/// exploration_share returns how much of the expected improvement on `best` comes from not knowing:
/// of (m Phi(u) + sd phi(u)), m the mean beyond the best, the second term, or all where m < 0.
[[nodiscard]] double exploration_share(const Prediction& prediction, double best, Goal goal);

}  // namespace oscbo::study
