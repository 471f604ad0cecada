// A fork copies only one thread. Work of other threads stays unfinished for ever in the new
// process, and database connections cannot be used there. So before a fork, Python waits until no
// thread is working in the library, and closes all connections.
#pragma once

#include <shared_mutex>

#include <pybind11/pybind11.h>

namespace oscbo::python {

/// Work that a fork must not interrupt holds this mutex shared. A fork holds it exclusively.
std::shared_mutex& fork_gate();

/// renew_fork_gate replaces the gate in a new process. The thread that holds the old one has
/// another id there and could not release it.
void renew_fork_gate();

/// without_lock returns work(), run without the interpreter lock so that other Python threads
/// continue. The work must not touch Python objects.
template <class Work>
auto without_lock(Work&& work) {
  const pybind11::gil_scoped_release release;
  const std::shared_lock gate(fork_gate());
  return work();
}

}  // namespace oscbo::python
