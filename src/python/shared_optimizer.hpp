// An optimizer as Python has it: shared by threads.
#pragma once

#include <mutex>
#include <string>

#include "fork_gate.hpp"
#include "oscbo/optimizer.hpp"
#include "oscbo/study_declaration.hpp"

namespace oscbo::python {

/// Calls run without the interpreter's lock, one at a time.
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

  /// use returns work(optimizer).
  template <class Work>
  auto use(Work&& work) const {
    return without_lock([&] {
      const std::lock_guard lock(mutex_);
      return work(optimizer_);
    });
  }

  /// What the user began with, which `log` continues.
  [[nodiscard]] const std::string& declaration() const { return declaration_; }

 private:
  SharedOptimizer(const StudyDeclaration& study, std::string declaration);

  std::string declaration_;
  mutable Optimizer optimizer_;  // looking at a model may learn it first
  mutable std::mutex mutex_;
};

}  // namespace oscbo::python
