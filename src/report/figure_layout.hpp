// The layout that all renderers share: the values that a logarithmic axis can show, the ranges of
// the axes and the entries of the legend.
#pragma once

#include <string>
#include <vector>

#include "report/figure.hpp"

namespace oscbo::report {

/// A logarithmic axis shows all smaller values, including a regret of zero, at this value.
inline constexpr double kLowestLogValue = 1e-12;

/// A closed interval; empty while low > high.
struct Range {
  double low;
  double high;

  [[nodiscard]] bool empty() const { return !(low <= high); }
};

/// check_figure throws Error (invalid_value) naming the figure when a series has columns of unequal
/// lengths or a colour that is not "#rrggbb", or when the name of the figure is not a file name.
void check_figure(const Figure& figure);

/// shown_value returns `value` as `axis` can show it. NaN stays NaN.
[[nodiscard]] double shown_value(double value, const Axis& axis);

/// x_range returns what the series of `panel` cover together; all categories of a category axis.
[[nodiscard]] Range x_range(const Panel& panel);

/// y_range returns what `series` covers with its errors. On a logarithmic axis an error counts only
/// down to a third of its value: a standard error as large as the mean would reach to zero.
[[nodiscard]] Range y_range(const Series& series, const Axis& axis);

/// y_range returns what all series of `panel` cover, or all categories of a category axis.
[[nodiscard]] Range y_range(const Panel& panel);

/// padded returns `range` with `share` of its length added at both ends, as `axis` measures length.
/// An empty range becomes [0, 1], or [0.1, 1] on a logarithmic axis; a point gets some width.
[[nodiscard]] Range padded(Range range, const Axis& axis, double share);

/// legend_entries returns the first series of every label of the figure, without its data.
[[nodiscard]] std::vector<Series> legend_entries(const Figure& figure);

}  // namespace oscbo::report
