// Records as dictionaries: their fields by the names that classes of the package have, and the
// types that these declare.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <pybind11/stl.h>

#include "oscbo/record_fields.hpp"

namespace oscbo::python {

/// How a value of the library looks in Python, and what its type is called there.
template <class Value>
struct PlainValue {
  static constexpr const char* type = std::is_same_v<Value, bool>       ? "bool"
                                      : std::is_integral_v<Value>       ? "int"
                                      : std::is_floating_point_v<Value> ? "float"
                                                                        : "str";
  static pybind11::object of(const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      return pybind11::cast(to_string(value));
    } else {
      return pybind11::cast(value);
    }
  }
};

template <class Value>
struct PlainValue<std::vector<Value>> {
  static inline const std::string type = "tuple[" + std::string(PlainValue<Value>::type) + ", ...]";
  static pybind11::object of(const std::vector<Value>& values) {
    return pybind11::tuple(pybind11::cast(values));
  }
};

template <class Value>
struct PlainValue<std::optional<Value>> {
  static inline const std::string type = std::string(PlainValue<Value>::type) + " | None";
  static pybind11::object of(const std::optional<Value>& value) {
    return value ? PlainValue<Value>::of(*value) : pybind11::none();
  }
};

/// fields_of returns the fields of a record with their values.
template <class Record>
[[nodiscard]] pybind11::dict fields_of(const Record& record) {
  pybind11::dict plain;
  for_each_field<Record>([&](const auto& field) {
    using Value = std::remove_cvref_t<decltype(field.of(record))>;
    plain[pybind11::str(std::string(field.name))] = PlainValue<Value>::of(field.of(record));
  });
  return plain;
}

/// types_of returns the fields of a record with their types.
template <class Record>
[[nodiscard]] pybind11::dict types_of() {
  pybind11::dict types;
  for_each_field<Record>([&](const auto& field) {
    using Value = std::remove_cvref_t<decltype(field.of(std::declval<Record&>()))>;
    types[pybind11::str(std::string(field.name))] = PlainValue<Value>::type;
  });
  return types;
}

}  // namespace oscbo::python
