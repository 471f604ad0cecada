// Estimates the remaining time of an experiment. The cost of tasks differs by orders of magnitude,
// so a remaining run is expected to take as long as the finished runs of its task took on average.
// If a task has no finished run, the average over all finished runs is used.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace oscbo::experiment {

class TimeLeft {
 public:
  explicit TimeLeft(int jobs) : jobs_(jobs) {}

  void expect(const std::string& task) { ++tasks_[task].pending; }

  /// finish records that one expected run of `task` has finished after `seconds`.
  void finish(const std::string& task, double seconds);

  /// seconds returns the estimate; 0 until a run has finished.
  [[nodiscard]] double seconds() const;

 private:
  struct Task {
    std::size_t pending = 0;
    std::size_t finished = 0;
    double spent = 0.0;
  };

  int jobs_;
  std::map<std::string, Task> tasks_;
};

}  // namespace oscbo::experiment
