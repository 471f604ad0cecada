// File: oscbo/record_fields.hpp
//
// The fields of a record, declared once beside the record. Code that writes records (to a database,
// JSON, CSV or Python) visits this declaration instead of listing the fields again:
//
//   oscbo::for_each_field<oscbo::Feedback>([&](const auto& field) {
//     std::cout << field.name << ": " << field.of(feedback) << '\n';
//   });
#pragma once

#include <functional>
#include <string_view>
#include <tuple>

namespace oscbo {

/// A field of a record: a data member, or a member function that returns it.
template <class Record, class Member>
struct Field {
  constexpr Field(std::string_view field_name, Member Record::*field_member)
      : Field(field_name, field_name, field_member) {}
  constexpr Field(std::string_view field_name, std::string_view stored_name,
                  Member Record::*field_member)
      : name(field_name), stored(stored_name), member(field_member) {}

  /// of returns the field of a record. The result is a reference if the field is a data member.
  template <class SomeRecord>
  [[nodiscard]] constexpr decltype(auto) of(SomeRecord& record) const {
    return std::invoke(member, record);
  }

  std::string_view name;    // in C++ and Python
  std::string_view stored;  // in databases, tables and JSON
  Member Record::*member;
};

/// Specialised beside each declared record: `kName` is the name of the record, `kList` is a tuple
/// of its fields.
template <class Record>
struct RecordFields;

template <class Record>
concept DeclaredRecord = requires { RecordFields<Record>::kList; };

/// for_each_field calls visit(field) for each field of the record, in declaration order.
template <DeclaredRecord Record, class Visit>
constexpr void for_each_field(Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, RecordFields<Record>::kList);
}

}  // namespace oscbo
