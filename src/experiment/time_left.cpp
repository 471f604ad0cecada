#include "experiment/time_left.hpp"

#include <algorithm>

namespace oscbo::experiment {

void TimeLeft::finish(const std::string& task, double seconds) {
  Task& entry = tasks_[task];
  --entry.pending;
  ++entry.finished;
  entry.spent += seconds;
}

double TimeLeft::seconds() const {
  Task all;
  for (const auto& [name, task] : tasks_) {
    all.pending += task.pending;
    all.finished += task.finished;
    all.spent += task.spent;
  }
  if (all.finished == 0) return 0.0;

  double work = 0.0;
  for (const auto& [name, task] : tasks_) {
    // A task without a finished run is assumed to take the average time.
    const Task& known = task.finished > 0 ? task : all;
    work += static_cast<double>(task.pending) * known.spent / static_cast<double>(known.finished);
  }
  const auto workers = std::clamp<std::size_t>(all.pending, 1, static_cast<std::size_t>(jobs_));
  return work / static_cast<double>(workers);
}

}  // namespace oscbo::experiment
