// The standard normal distribution, accurate to a few units in the last place in both tails, and
// the expected improvement h of a standard normal variable over a threshold,
//
//   h(u) = E max(u + Z, 0) = phi(u) + u Phi(u).
//
// log h is available too: h underflows at u = -38, and log h never does.
#pragma once

namespace oscbo::numeric {

/// normal_density returns phi(u) = exp(-u^2 / 2) / sqrt(2 pi).
[[nodiscard]] double normal_density(double u);

/// normal_cdf returns Phi(u) = P(Z <= u).
[[nodiscard]] double normal_cdf(double u);

/// log_normal_cdf returns log Phi(u), which is finite for every finite u. log_normal_cdf_slope
/// returns its derivative phi(u) / Phi(u).
[[nodiscard]] double log_normal_cdf(double u);
[[nodiscard]] double log_normal_cdf_slope(double u);

/// normal_quantile returns the u with Phi(u) = p. It is infinite at p = 0 and p = 1, and NaN
/// outside [0, 1].
[[nodiscard]] double normal_quantile(double p);

/// scaled_complementary_error returns erfcx(x) = exp(x^2) erfc(x).
[[nodiscard]] double scaled_complementary_error(double x);

/// improvement returns h(u).
[[nodiscard]] double improvement(double u);

/// log_improvement returns log h(u).
[[nodiscard]] double log_improvement(double u);

/// log_improvement_slope returns d log h / du = Phi(u) / h(u). It tends to |u| + 2 / |u| for u ->
/// -infinity and to 1 / u for u -> infinity.
[[nodiscard]] double log_improvement_slope(double u);

}  // namespace oscbo::numeric
