// The parts of the Python module oscbo._core. The module returns plain data, such as dictionaries
// and NumPy arrays. The Python package (python/oscbo) wraps this data in documented classes.
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
