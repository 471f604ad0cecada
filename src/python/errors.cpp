// Errors become Python exceptions, one class for each code: python/oscbo/errors.py.
#include <array>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "oscbo/error.hpp"

namespace oscbo::python {
namespace {

namespace py = pybind11;

constexpr std::array kCodes = {ErrorCode::usage,        ErrorCode::invalid_value,
                               ErrorCode::unknown_name, ErrorCode::conflict,
                               ErrorCode::exhausted,    ErrorCode::io,
                               ErrorCode::interrupted,  ErrorCode::internal};

static_assert(kCodes.size() == static_cast<std::size_t>(ErrorCode::internal) + 1);

void raise_in_python(const Error& error) {
  const py::object exception =
      py::module_::import("oscbo.errors")
          .attr("make_error")(to_string(error.code()), error.field(), error.message());
  PyErr_SetObject(py::type::of(exception).ptr(), exception.ptr());
}

}  // namespace

void bind_errors(py::module_& module) {
  module.def("error_codes", [] {
    std::vector<std::string> names;
    names.reserve(kCodes.size());
    for (const ErrorCode code : kCodes) names.emplace_back(to_string(code));
    return names;
  });
  py::register_exception_translator([](std::exception_ptr caught) {
    try {
      if (caught) std::rethrow_exception(std::move(caught));
    } catch (const Error& error) {
      raise_in_python(error);
    }
  });
}

}  // namespace oscbo::python
