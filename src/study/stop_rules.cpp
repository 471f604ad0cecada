#include "study/stop_rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "numeric/normal.hpp"
#include "study/log_follower.hpp"

namespace oscbo {

std::string_view to_string(StopRule rule) noexcept {
  switch (rule) {
    case StopRule::seconds: return "seconds";
    case StopRule::target: return "target";
    case StopRule::without_improvement: return "without_improvement";
    case StopRule::expected_gain: return "expected_gain";
    case StopRule::budget: break;
  }
  return "budget";
}

}  // namespace oscbo

namespace oscbo::study {
namespace {

/// Summarises the values in the order in which they arrived, and how much the suggestions promised.
struct Course {
  double best = 0.0;
  int since_best = 0;  // evaluations
  int hopeless = 0;    // suggestions in a row that promised too little
};

Course course_of(const StopRules& rules, Goal goal, std::span<const StudyTrial> trials) {
  Course course{.best = worst_value(goal)};
  for (const StudyTrial& trial : trials) {
    if (trial.state == TrialState::abandoned) continue;  // as if it had never been asked for
    if (trial.prediction() && rules.expected_gain) {
      const double gain = expected_gain(*trial.prediction(), course.best, goal);
      course.hopeless = gain < *rules.expected_gain ? course.hopeless + 1 : 0;
    }
    // Only evaluations by workers count here. Observations that were added from elsewhere do not.
    if (!trial.worker.empty()) ++course.since_best;
    if (!trial.y() || !trial.is_acceptable || is_as_good(goal, course.best, *trial.y())) continue;
    course.best = *trial.y();
    course.since_best = 0;
  }
  return course;
}

}  // namespace

double expected_gain(const Prediction& prediction, double best, Goal goal) {
  const double beyond = gain_over(goal, prediction.mean, best);
  if (!(prediction.sd > 0.0)) return std::max(beyond, 0.0);
  const double u = beyond / prediction.sd;
  if (!std::isfinite(u)) return std::numeric_limits<double>::infinity();
  return prediction.sd * numeric::improvement(u);
}

std::optional<StopReason> stop_by_time(const StopRules& rules, double run_seconds) {
  if (!rules.seconds || run_seconds < *rules.seconds) return std::nullopt;
  return StopReason{.rule = StopRule::seconds,
                    .text = fmt::format("{} s {} passed", *rules.seconds,
                                        *rules.seconds == 1.0 ? "has" : "have")};
}

std::string without_improvement_text(int evaluations) {
  return evaluations == 1
             ? "the last evaluation has brought nothing better"
             : fmt::format("{} evaluations in a row have brought nothing better", evaluations);
}

bool looks_at_trials(const StopRules& rules) {
  return rules.target || rules.without_improvement || rules.expected_gain;
}

std::optional<StopReason> stop_by_trials(const StopRules& rules, Goal goal,
                                         std::span<const StudyTrial> trials) {
  const Course course = course_of(rules, goal, trials);
  if (rules.target && is_as_good(goal, course.best, *rules.target)) {
    return StopReason{
        .rule = StopRule::target,
        .text = fmt::format("the target {} has been reached: {}", *rules.target, course.best)};
  }
  if (rules.without_improvement && course.since_best >= *rules.without_improvement) {
    return StopReason{.rule = StopRule::without_improvement,
                      .text = without_improvement_text(course.since_best)};
  }
  if (rules.expected_gain && course.hopeless >= kHopelessInARow) {
    return StopReason{.rule = StopRule::expected_gain,
                      .text = fmt::format("the last {} suggestions promised less than {}",
                                          course.hopeless, *rules.expected_gain)};
  }
  return std::nullopt;
}

std::optional<StopReason> stop_by_budget(int budget, const StudyCounts& counts) {
  if (counts.leased > 0) return std::nullopt;
  std::optional<std::string> text = budget_used_up(budget, counts);
  if (!text) return std::nullopt;
  return StopReason{.rule = StopRule::budget, .text = std::move(*text)};
}

std::optional<std::string> budget_used_up(int budget, const StudyCounts& counts) {
  if (counts.asked < budget) return std::nullopt;
  std::string text =
      fmt::format("the budget of {} is used up", base::counted(budget, "evaluation"));
  if (counts.pending > counts.leased) {
    const std::int64_t untold = counts.pending - counts.leased;
    text += fmt::format(", {} by {} asked for and never told", untold,
                        base::by_count(untold, "a point that was", "points that were"));
  }
  return text;
}

std::optional<std::string> failing(const StudyCounts& counts, const std::string& last) {
  constexpr std::int64_t kEnough = 10;
  if (counts.complete > 0 || counts.failed < kEnough) return std::nullopt;
  return fmt::format("{} trials have failed, and none has a value; the last: {}", counts.failed,
                     last);
}

}  // namespace oscbo::study
