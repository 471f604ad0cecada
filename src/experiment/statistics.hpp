// The statistics used in reports.
#pragma once

#include <span>
#include <vector>

namespace oscbo::experiment {

/// mean returns the arithmetic mean; NaN if there are no values.
[[nodiscard]] double mean(std::span<const double> values);

/// geometric_mean returns exp(mean log) of positive values; NaN if there are no values.
[[nodiscard]] double geometric_mean(std::span<const double> values);

/// standard_error returns sd / sqrt(n) with the n - 1 divisor in sd, NaN for fewer than two values.
[[nodiscard]] double standard_error(std::span<const double> values);

/// ranks returns the rank of each value, 1 for the lowest; equal values share their mean rank.
[[nodiscard]] std::vector<double> ranks(std::span<const double> values);

/// nominal_coverage returns P(|Z| <= sqrt(beta)) for a standard normal Z.
[[nodiscard]] double nominal_coverage(double beta);

}  // namespace oscbo::experiment
