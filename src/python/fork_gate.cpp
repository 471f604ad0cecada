#include "fork_gate.hpp"

namespace oscbo::python {
namespace {

std::shared_mutex*& current_gate() {
  static auto* gate = new std::shared_mutex;  // never destroyed: threads may outlive the module
  return gate;
}

}  // namespace

std::shared_mutex& fork_gate() { return *current_gate(); }

void renew_fork_gate() { current_gate() = new std::shared_mutex; }

}  // namespace oscbo::python
