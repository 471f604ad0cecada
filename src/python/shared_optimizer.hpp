// An optimizer that Python threads may share.
#pragma once

#include <mutex>
#include <string>

#include "fork_gate.hpp"
#include "oscbo/optimizer.hpp"
#include "oscbo/study_declaration.hpp"

namespace oscbo::python {

/// Calls run one at a time, without the interpreter lock.
class SharedOptimizer {
 public:
  /// Takes the declaration of a study in JSON; ignores its program and its stop rules.
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

  /// The declaration that the constructor took. For the method tabicl, the path and the checksum of
  /// the file of weights are added. The optimizer's log records everything since then.
  [[nodiscard]] const std::string& declaration() const { return declaration_; }

 private:
  explicit SharedOptimizer(const StudyDeclaration& study);

  std::string declaration_;
  mutable Optimizer optimizer_;  // a const call may have to fit the model first
  mutable std::mutex mutex_;
};

}  // namespace oscbo::python
