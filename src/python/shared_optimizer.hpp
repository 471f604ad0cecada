// An optimizer as Python has it: in the user's sense of good, and shared by threads and forks.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <vector>

#include <pybind11/pybind11.h>

#include "oscbo/calibration.hpp"
#include "oscbo/optimizer.hpp"
#include "oscbo/study_declaration.hpp"

namespace oscbo::python {

/// Calls run without the interpreter's lock, so that other threads of Python go on, and one at a
/// time.
class SharedOptimizer {
 public:
  /// The declaration is that of a study in JSON, of which program and rules to stop are none of an
  /// optimizer's.
  explicit SharedOptimizer(const std::string& declaration);
  SharedOptimizer(const SharedOptimizer& other);
  SharedOptimizer(SharedOptimizer&&) = delete;
  SharedOptimizer& operator=(const SharedOptimizer&) = delete;
  SharedOptimizer& operator=(SharedOptimizer&&) = delete;
  ~SharedOptimizer() = default;

  /// use returns work(optimizer). The work must not touch anything of Python's.
  template <class Work>
  auto use(Work&& work) const {
    settle_after_fork();
    const pybind11::gil_scoped_release release;
    const std::lock_guard lock(*mutex_);
    const InUse in_use(in_use_);
    return work(optimizer_);
  }

  /// What the user began with, which `log` continues.
  [[nodiscard]] const std::string& declaration() const { return declaration_; }

  [[nodiscard]] double to_users(double y) const { return sign_ * y; }
  [[nodiscard]] double from_users(double y) const { return sign_ * y; }
  [[nodiscard]] Prediction to_users(Prediction prediction) const;
  [[nodiscard]] Trial to_users(Trial trial) const;

 private:
  /// Marks the optimizer as in use as long as it lives.
  class InUse {
   public:
    explicit InUse(std::atomic<bool>& flag) : flag_(flag) { flag_.store(true); }
    InUse(const InUse&) = delete;
    InUse(InUse&&) = delete;
    InUse& operator=(const InUse&) = delete;
    InUse& operator=(InUse&&) = delete;
    ~InUse() { flag_.store(false); }

   private:
    std::atomic<bool>& flag_;
  };

  SharedOptimizer(const StudyDeclaration& study, std::string declaration);

  /// In a forked process: whoever held the mutex is not there any more. Throws Error (conflict)
  /// where it was held, since the optimizer may then be in the middle of a change.
  void settle_after_fork() const;

  std::string declaration_;
  double sign_;
  mutable Optimizer optimizer_;  // looking at a model may learn it first
  mutable std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
  mutable std::atomic<bool> in_use_ = false;
  mutable pid_t process_;
};

}  // namespace oscbo::python
