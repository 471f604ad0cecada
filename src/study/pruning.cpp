#include "study/pruning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "study/log_follower.hpp"

namespace oscbo::study {
namespace {

double median_of(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// rung_below returns the last rung, first_step * factor^k, that a step has reached, rounded up to
/// a whole step.
std::int64_t rung_below(const PruningRules& rules, std::int64_t step) {
  double rung = rules.first_step;
  while (rung * rules.factor <= static_cast<double>(step)) rung *= rules.factor;
  return static_cast<std::int64_t>(std::ceil(rung));
}

bool is_below_median(const PruningRules& rules, Goal goal, std::span<const IntermediateValue> own,
                     const ReportedByOthers& others) {
  const std::int64_t step = own.back().step;
  const std::vector<double> values = others(step, step);
  if (std::ssize(values) < rules.least_trials) return false;
  double best = own.front().value;
  for (const auto& [at, value] : own) {
    if (is_better(goal, value, best)) best = value;
  }
  return is_better(goal, median_of(values), best);
}

bool is_below_share(const PruningRules& rules, Goal goal, std::span<const IntermediateValue> own,
                    std::optional<std::int64_t> judged, const ReportedByOthers& others) {
  const std::int64_t rung = rung_below(rules, own.back().step);
  if (judged && *judged >= rung) return false;
  const auto first = std::find_if(
      own.begin(), own.end(), [&](const IntermediateValue& report) { return report.step >= rung; });
  const std::vector<double> values = others(rung, std::numeric_limits<std::int64_t>::max());
  if (std::ssize(values) < rules.least_trials) return false;
  const auto better = std::count_if(values.begin(), values.end(), [&](double value) {
    return is_better(goal, value, first->value);
  });
  const auto reached = static_cast<double>(values.size() + 1);
  return static_cast<double>(better) >= reached / rules.factor;
}

}  // namespace

bool should_give_up(const PruningRules& rules, Goal goal, std::span<const IntermediateValue> own,
                    std::optional<std::int64_t> judged, const ReportedByOthers& others) {
  if (own.empty() || own.back().step < rules.first_step) return false;
  switch (rules.kind) {
    case PruningKind::none: return false;
    case PruningKind::median: return is_below_median(rules, goal, own, others);
    case PruningKind::halving: return is_below_share(rules, goal, own, judged, others);
  }
  return false;
}

}  // namespace oscbo::study
