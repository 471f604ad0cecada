// Methods and their options, as tables.
#include "bindings.hpp"
#include "oscbo/options.hpp"

namespace oscbo::python {
namespace {

namespace py = pybind11;

py::dict methods_table() {
  py::dict meanings;
  for (const MethodInfo& method : methods()) meanings[py::str(method.name)] = method.meaning;
  return meanings;
}

py::list options_of(const std::string& method) {
  py::list rows;
  for (const OptionInfo& option : options(method_config(method))) {
    rows.append(py::make_tuple(option.name, option.accepted, option.default_value, option.meaning));
  }
  return rows;
}

}  // namespace

void bind_methods(py::module_& module) {
  module.def("methods", &methods_table);
  module.def("options", &options_of, py::arg("method"));
}

}  // namespace oscbo::python
