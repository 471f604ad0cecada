// Computes the numbers of a LatencyRow from the measured rounds.
#pragma once

#include <span>
#include <vector>

#include "learners/learner_options.hpp"
#include "oscbo/latency.hpp"

namespace oscbo::paper {

/// The rounds to measure at one number of points. Each of `runs` optimizers asks once to learn its
/// hyperparameters and then another `rounds` times. These `rounds` rounds are its window.
struct LatencyWindows {
  int runs = 1;
  int rounds = 1;
  double refit_share = 1.0;  // fraction of the asks of a long run that learn again
};

/// latency_windows returns windows with a total of `asks` rounds or a few more. The windows are
/// short, so the number of points hardly changes and all rounds are of one kind: either every round
/// learns the hyperparameters again, or the window ends before the next refit and no round does.
[[nodiscard]] LatencyWindows latency_windows(const learners::RefitOptions& refit, int points,
                                             int asks);

/// latency_quantiles requires a non-empty sample.
[[nodiscard]] LatencyQuantiles latency_quantiles(std::span<const double> seconds);

/// amortised_ask returns the mean time of an ask in a long run in which a fraction `refit_share` of
/// the asks takes `refit` and the others take as long as `asks`. If every ask learns, it returns
/// the mean of `asks`: `refit` is the time to learn from scratch, but these asks start from the
/// previous fit.
[[nodiscard]] double amortised_ask(std::span<const double> asks, double refit, double refit_share);

/// latency_growth fits the exponents to `rows`, which are sorted by dimension.
[[nodiscard]] std::vector<LatencyGrowth> latency_growth(std::span<const LatencyRow> rows);

}  // namespace oscbo::paper
