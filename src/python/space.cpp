#include "oscbo/space.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"

namespace oscbo::python {
namespace {

namespace py = pybind11;

std::vector<std::string> names_of(const Space& space) {
  std::vector<std::string> names;
  for (const Parameter& parameter : space.declaration().parameters) names.push_back(parameter.name);
  return names;
}

std::vector<std::string> kinds_of(const Space& space) {
  std::vector<std::string> kinds;
  for (const Parameter& parameter : space.declaration().parameters) {
    kinds.emplace_back(to_string(parameter.kind));
  }
  return kinds;
}

/// Returns whether parameter k has named values rather than numbers.
bool has_names(const Space& space, std::size_t k) {
  return !space.declaration().parameters[k].values.empty();
}

std::vector<std::string> outcomes_of(const Space& space) {
  std::vector<std::string> names;
  for (const Outcome& outcome : space.declaration().outcomes) names.push_back(outcome.name);
  return names;
}

Array bounds_of(const Space& space) {
  std::vector<double> numbers;
  for (const Bounds& bounds : space.bounds()) {
    numbers.push_back(bounds.lower);
    numbers.push_back(bounds.upper);
  }
  return to_array(std::move(numbers), {static_cast<py::ssize_t>(space.dimension()), 2});
}

Space box_of(const std::vector<std::pair<double, double>>& bounds) {
  std::vector<Bounds> box;
  box.reserve(bounds.size());
  for (const auto& [lower, upper] : bounds) box.push_back({.lower = lower, .upper = upper});
  return Space::of_box(box);
}

}  // namespace

void bind_space(py::module_& module) {
  py::class_<Space>(module, "Space", "A checked declaration of parameters.")
      .def_static("from_json", &Space::from_json, py::arg("text"))
      .def_static("of_box", &box_of, py::arg("bounds"))
      .def("to_json", &Space::to_json)
      .def_property_readonly("names", &names_of)
      .def_property_readonly("kinds", &kinds_of)
      .def_property_readonly("outcomes", &outcomes_of)
      .def_property_readonly("bounds", &bounds_of)
      .def_property_readonly("is_box", &Space::is_box)
      .def("index", &Space::index, py::arg("parameter"))
      .def("has_names", &has_names, py::arg("parameter"))
      .def("text", &Space::text, py::arg("parameter"), py::arg("value"))
      .def("value", &Space::value, py::arg("parameter"), py::arg("text"))
      .def(
          "is_active",
          [](const Space& space, const Array& x, std::size_t k) {
            return space.is_active(view(x), k);
          },
          py::arg("x"), py::arg("parameter"))
      .def(
          "check",
          [](const Space& space, const Array& x, const std::string& field) {
            space.check(view(x), field);
          },
          py::arg("x"), py::arg("field"));
}

}  // namespace oscbo::python
