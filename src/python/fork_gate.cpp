#include "fork_gate.hpp"

#include <atomic>

namespace oscbo::python {
namespace {

/// Never destroyed: threads may outlive the module.
std::atomic<std::shared_mutex*>& current_gate() {
  static std::atomic<std::shared_mutex*> gate = new std::shared_mutex;
  return gate;
}

}  // namespace

std::shared_mutex& fork_gate() { return *current_gate(); }

void renew_fork_gate() { current_gate() = new std::shared_mutex; }

}  // namespace oscbo::python
