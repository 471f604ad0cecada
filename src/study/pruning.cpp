#include "study/pruning.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "study/log_follower.hpp"

namespace oscbo::study {
namespace {

using storage::ReportRow;
using Reports = std::vector<ReportRow>;

/// The reports of each trial, with values of which large ones are good.
std::map<std::int64_t, Reports> by_trial(std::span<const ReportRow> reports, double sign) {
  std::map<std::int64_t, Reports> trials;
  for (ReportRow report : reports) {
    report.value *= sign;
    trials[report.trial].push_back(report);
  }
  return trials;
}

double median_of(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double best_of(const Reports& reports) {
  return std::max_element(reports.begin(), reports.end(),
                          [](const auto& a, const auto& b) { return a.value < b.value; })
      ->value;
}

/// What a trial reported first from `step` on.
std::optional<double> value_from(const Reports& reports, double step) {
  const auto found = std::find_if(reports.begin(), reports.end(), [&](const ReportRow& report) {
    return static_cast<double>(report.step) >= step;
  });
  if (found == reports.end()) return std::nullopt;
  return found->value;
}

bool is_below_median(const PruningRules& rules, std::map<std::int64_t, Reports> trials,
                     std::int64_t trial) {
  const Reports own = trials.extract(trial).mapped();
  std::vector<double> others;
  for (const auto& [number, reports] : trials) {
    for (const ReportRow& report : reports) {
      if (report.step == own.back().step) others.push_back(report.value);
    }
  }
  if (std::ssize(others) < rules.least_trials) return false;
  return best_of(own) < median_of(std::move(others));
}

/// The last rung, first_step * factor^k, that a step has reached.
double rung_below(const PruningRules& rules, std::int64_t step) {
  double rung = rules.first_step;
  while (rung * rules.factor <= static_cast<double>(step)) rung *= rules.factor;
  return rung;
}

bool is_below_share(const PruningRules& rules, const std::map<std::int64_t, Reports>& trials,
                    std::int64_t trial) {
  const Reports& own = trials.at(trial);
  const double rung = rung_below(rules, own.back().step);
  const bool has_been_judged =
      own.size() > 1 && static_cast<double>(own[own.size() - 2].step) >= rung;
  if (has_been_judged) return false;
  std::ptrdiff_t reached = 0;
  std::ptrdiff_t better = 0;
  for (const auto& [number, reports] : trials) {
    const std::optional<double> value = value_from(reports, rung);
    if (!value) continue;
    ++reached;
    better += *value > own.back().value ? 1 : 0;
  }
  if (reached - 1 < rules.least_trials) return false;
  return static_cast<double>(better) >= static_cast<double>(reached) / rules.factor;
}

}  // namespace

bool should_give_up(const PruningRules& rules, Goal goal, std::span<const ReportRow> reports,
                    std::int64_t trial) {
  const std::map<std::int64_t, Reports> trials = by_trial(reports, sign_of(goal));
  const auto own = trials.find(trial);
  if (own == trials.end() || own->second.back().step < rules.first_step) return false;
  switch (rules.kind) {
    case PruningKind::none: return false;
    case PruningKind::median: return is_below_median(rules, trials, trial);
    case PruningKind::halving: return is_below_share(rules, trials, trial);
  }
  return false;
}

}  // namespace oscbo::study
