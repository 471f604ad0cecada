// The parts of the Python module oscbo._core. It hands out plain data, dictionaries and NumPy
// arrays; the Python package beside it (python/oscbo) gives them names, documentation and comfort.
#pragma once

#include <pybind11/pybind11.h>

namespace oscbo::python {

void bind_errors(pybind11::module_& module);
void bind_space(pybind11::module_& module);
void bind_methods(pybind11::module_& module);
void bind_records(pybind11::module_& module);
void bind_optimizer(pybind11::module_& module);
void bind_study(pybind11::module_& module);
void bind_bench(pybind11::module_& module);

}  // namespace oscbo::python
