// Records as JSON. Every output of trials and predictions uses this form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "oscbo/prediction.hpp"
#include "oscbo/study_trial.hpp"
#include "text/strict_json.hpp"

namespace oscbo::study {

/// put_field writes a value. It writes nothing for an empty optional.
template <class Value>
void put_field(text::Json& json, std::string_view name, const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    json[std::string(name)] = to_string(value);
  } else {
    json[std::string(name)] = value;
  }
}
template <class Value>
void put_field(text::Json& json, std::string_view name, const std::optional<Value>& value) {
  if (value) put_field(json, name, *value);
}

/// put_fields writes all fields of a record.
template <class Record>
void put_fields(text::Json& json, const Record& record) {
  for_each_field<Record>(
      [&](const auto& field) { put_field(json, field.stored, field.of(record)); });
}

[[nodiscard]] text::Json trial_json(const StudyTrial& trial, const Space& space);

}  // namespace oscbo::study
