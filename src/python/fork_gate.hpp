// A fork copies one thread only: whatever the others were in the middle of stays so for ever in the
// new process, and connections to a database are of no use there. So Python waits before a fork
// until nobody is at work in the library, and closes all connections.
#pragma once

#include <shared_mutex>

#include <pybind11/pybind11.h>

namespace oscbo::python {

/// fork_gate is held by all work that a fork must not cut in two, and alone by a fork.
std::shared_mutex& fork_gate();

/// renew_fork_gate opens it in a new process: the thread that holds it has another name there, and
/// could not let go of it.
void renew_fork_gate();

/// without_lock returns work(), done without the interpreter's lock, so that other threads of
/// Python go on. The work must not touch anything of Python's.
template <class Work>
auto without_lock(Work&& work) {
  const pybind11::gil_scoped_release release;
  const std::shared_lock gate(fork_gate());
  return work();
}

}  // namespace oscbo::python
