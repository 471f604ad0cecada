// How measured rounds become the figures of a LatencyRow.
#pragma once

#include <span>
#include <vector>

#include "oscbo/config.hpp"
#include "oscbo/latency.hpp"

namespace oscbo::paper {

/// The rounds to be measured at one number of points: `runs` optimizers, each of which asks once to
/// learn its hyperparameters and then `rounds` times more.
struct LatencyWindows {
  int runs = 1;
  int rounds = 1;
  double refit_share = 1.0;  // of the asks of a long run, those that learn anew
};

/// latency_windows returns windows of `asks` rounds in all, or a few more. They are short enough
/// for the number of points to stay about what it is, and for all their rounds to be of one kind:
/// either every one learns anew, or none does before the next refit is due.
[[nodiscard]] LatencyWindows latency_windows(const RefitConfig& refit, int points, int asks);

/// latency_quantiles requires a sample that is not empty.
[[nodiscard]] LatencyQuantiles latency_quantiles(std::span<const double> seconds);

/// amortised_ask returns the mean ask of a long run in which `refit_share` of the asks cost `refit`
/// and the others what `asks` did. Where every ask learns anew it is the mean of `asks`: `refit` is
/// what learning from scratch takes, and they begin where the one before ended.
[[nodiscard]] double amortised_ask(std::span<const double> asks, double refit, double refit_share);

/// latency_growth fits the exponents to `rows`, which are sorted by dimension.
[[nodiscard]] std::vector<LatencyGrowth> latency_growth(std::span<const LatencyRow> rows);

}  // namespace oscbo::paper
