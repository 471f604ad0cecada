// Quantiles of a sample as combinations of its entries. The functions tell which entries these are,
// because the derivative of a quantile depends on them.
//
//   const std::vector<double> sample{4.0, 1.0, 3.0};
//   linear_quantile(sample, 0.75).of(sample);   // 3.5, halfway between entries 2 and 0
#pragma once

#include <cstddef>
#include <span>

namespace oscbo::numeric {

/// (1 - upper_weight) sample[lower] + upper_weight sample[upper].
struct QuantileEntries {
  std::size_t lower = 0;
  std::size_t upper = 0;
  double upper_weight = 0.0;

  [[nodiscard]] double of(std::span<const double> sample) const {
    return (1.0 - upper_weight) * sample[lower] + upper_weight * sample[upper];
  }
};

/// linear_quantile interpolates between the order statistics next to position p (n - 1), counted
/// from 0: the default of NumPy and PyTorch. Requires a sample that is not empty and 0 <= p <= 1.
[[nodiscard]] QuantileEntries linear_quantile(std::span<const double> sample, double p);

/// conformal_quantile returns order statistic ceil(p (n + 1)), counted from 1, or the largest one
/// if n is smaller than that. A further value from the same distribution is at most this quantile
/// with probability at least p, provided that n + 1 >= 1 / (1 - p). Requires a sample that is not
/// empty and 0 <= p <= 1.
[[nodiscard]] QuantileEntries conformal_quantile(std::span<const double> sample, double p);

}  // namespace oscbo::numeric
