// Records as dictionaries with the field names and types that classes of the Python package
// declare.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <pybind11/stl.h>

#include "oscbo/record_fields.hpp"

namespace oscbo::python {

template <class Record>
[[nodiscard]] pybind11::dict fields_of(const Record& record);

/// Converts a value of the library to Python, and names its Python type.
template <class Value>
struct PlainValue {
  static std::string type() {
    if (std::is_same_v<Value, bool>) return "bool";
    if (std::is_integral_v<Value>) return "int";
    return std::is_floating_point_v<Value> ? "float" : "str";
  }
  static pybind11::object of(const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      return pybind11::cast(to_string(value));
    } else {
      return pybind11::cast(value);
    }
  }
};

template <DeclaredRecord Record>
struct PlainValue<Record> {
  static std::string type() { return std::string(RecordFields<Record>::kName); }
  static pybind11::object of(const Record& record) { return fields_of(record); }
};

template <class Value>
struct PlainValue<std::vector<Value>> {
  static std::string type() { return "tuple[" + PlainValue<Value>::type() + ", ...]"; }
  static pybind11::object of(const std::vector<Value>& values) {
    pybind11::tuple plain(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) plain[i] = PlainValue<Value>::of(values[i]);
    return plain;
  }
};

template <class Value>
struct PlainValue<std::optional<Value>> {
  static std::string type() { return PlainValue<Value>::type() + " | None"; }
  static pybind11::object of(const std::optional<Value>& value) {
    if (!value) return pybind11::none();
    return PlainValue<Value>::of(*value);
  }
};

/// fields_of returns the fields of a record with their values.
template <class Record>
pybind11::dict fields_of(const Record& record) {
  pybind11::dict plain;
  for_each_field<Record>([&](const auto& field) {
    using Value = std::remove_cvref_t<decltype(field.of(record))>;
    plain[pybind11::str(std::string(field.name))] = PlainValue<Value>::of(field.of(record));
  });
  return plain;
}

/// add_types adds the name of a record and the types of its fields.
template <class Record>
void add_types(pybind11::dict& records) {
  pybind11::dict types;
  for_each_field<Record>([&](const auto& field) {
    using Value = std::remove_cvref_t<decltype(field.of(std::declval<Record&>()))>;
    types[pybind11::str(std::string(field.name))] = PlainValue<Value>::type();
  });
  records[pybind11::str(std::string(RecordFields<Record>::kName))] = types;
}

}  // namespace oscbo::python
