#include "bindings.hpp"
#include "oscbo/version.hpp"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of oscbo; use the package oscbo.";
  module.attr("version") = oscbo::version();
  oscbo::python::bind_errors(module);
  oscbo::python::bind_space(module);
  oscbo::python::bind_methods(module);
  oscbo::python::bind_records(module);
  oscbo::python::bind_optimizer(module);
  oscbo::python::bind_study(module);
  oscbo::python::bind_bench(module);
}
