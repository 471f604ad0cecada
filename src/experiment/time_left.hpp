// How long the rest of an experiment will take. Tasks differ in cost by orders of magnitude, so a
// run still to come is expected to take what the finished runs of its task took.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace oscbo::experiment {

class TimeLeft {
 public:
  explicit TimeLeft(int jobs) : jobs_(jobs) {}

  void expect(const std::string& task) { ++tasks_[task].pending; }

  /// finish notes that one expected run of `task` is done and took `seconds`.
  void finish(const std::string& task, double seconds);

  /// seconds returns the estimate; 0 before any run has finished.
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
