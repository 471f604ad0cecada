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

/// check_figure throws Error (invalid_value) if a series has columns of unequal lengths or a colour
/// that is not "#rrggbb", or if the name of the figure cannot be a file name. The error names the
/// figure.
void check_figure(const Figure& figure);

/// shown_value returns the value that `axis` shows for `value`. NaN stays NaN.
[[nodiscard]] double shown_value(double value, const Axis& axis);

/// x_range returns the range that the series of `panel` cover together. For a category axis, it
/// covers all categories.
[[nodiscard]] Range x_range(const Panel& panel);

/// y_range returns the range that `series` covers with its errors. On a logarithmic axis, an error
/// bar counts only down to a third of y, because a standard error as large as the mean would reach
/// down to zero.
[[nodiscard]] Range y_range(const Series& series, const Axis& axis);

/// y_range returns the range that all series of `panel` cover. For a category axis, it covers all
/// categories.
[[nodiscard]] Range y_range(const Panel& panel);

/// padded extends `range` at both ends by `share` of its length on `axis`. An empty range becomes
/// [0, 1], or [0.1, 1] on a logarithmic axis. A range of a single point gets some width.
[[nodiscard]] Range padded(Range range, const Axis& axis, double share);

/// legend_entries returns the first series of every label of the figure, without its data.
[[nodiscard]] std::vector<Series> legend_entries(const Figure& figure);

}  // namespace oscbo::report
