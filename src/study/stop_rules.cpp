#include "study/stop_rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "numeric/normal.hpp"
#include "study/log_follower.hpp"

namespace oscbo::study {
namespace {

/// The values in the order in which they came, and what had been expected of them; large ones are
/// good.
struct Course {
  double best = -std::numeric_limits<double>::infinity();
  int since_best = 0;  // evaluations
  int hopeless = 0;    // suggestions in a row that promised too little
};

Course course_of(const StopRules& rules, Goal goal, std::span<const StudyTrial> trials) {
  const double sign = sign_of(goal);
  Course course;
  for (const StudyTrial& trial : trials) {
    if (trial.state == StudyTrialState::abandoned) continue;  // as if it had not been asked
    if (trial.prediction() && rules.expected_gain) {
      const double gain = expected_gain(*trial.prediction(), sign * course.best, goal);
      course.hopeless = gain < *rules.expected_gain ? course.hopeless + 1 : 0;
    }
    // What was known before, or came by itself, is no evaluation that brought nothing.
    if (!trial.worker.empty()) ++course.since_best;
    if (!trial.y() || !trial.is_acceptable || sign * *trial.y() <= course.best) continue;
    course.best = sign * *trial.y();
    course.since_best = 0;
  }
  return course;
}

}  // namespace

double expected_gain(const Prediction& prediction, double best, Goal goal) {
  const double beyond = sign_of(goal) * (prediction.mean - best);
  if (!(prediction.sd > 0.0)) return std::max(beyond, 0.0);
  const double u = beyond / prediction.sd;
  if (!std::isfinite(u)) return std::numeric_limits<double>::infinity();
  return prediction.sd * numeric::improvement(u);
}

std::optional<std::string> stop_reason(const StopRules& rules, Goal goal,
                                       std::span<const StudyTrial> trials) {
  const double sign = sign_of(goal);
  const Course course = course_of(rules, goal, trials);
  if (rules.target && course.best >= sign * *rules.target) {
    return fmt::format("the target {} has been reached: {}", *rules.target, sign * course.best);
  }
  if (rules.without_improvement && course.since_best >= *rules.without_improvement) {
    return fmt::format("{} evaluations in a row have brought nothing better", course.since_best);
  }
  if (rules.expected_gain && course.hopeless >= kHopelessInARow) {
    return fmt::format("the last {} suggestions promised less than {}", course.hopeless,
                       *rules.expected_gain);
  }
  return std::nullopt;
}

}  // namespace oscbo::study
