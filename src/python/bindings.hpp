// The parts of the Python module oscbo._core. It returns plain data, dictionaries and NumPy
// arrays; the Python package (python/oscbo) wraps them in documented classes.
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
