// The range Q = max Z_i - min Z_i of k independent standard normal values. This is the studentized
// range with infinitely many degrees of freedom, which serves to compare the means of k groups.
#pragma once

namespace oscbo::numeric {

/// studentized_range_cdf returns P(Q <= q) for the range of `count` values, to about 1e-13.
/// Requires count >= 2.
[[nodiscard]] double studentized_range_cdf(double q, int count);

/// studentized_range_quantile returns the q with P(Q <= q) = p. Requires count >= 2 and
/// 0 < p < 1 - 1e-9: closer to 1, the cdf has no correct digits left.
[[nodiscard]] double studentized_range_quantile(double p, int count);

}  // namespace oscbo::numeric
