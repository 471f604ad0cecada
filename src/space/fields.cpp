#include "space/fields.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "space/refusal.hpp"

namespace oscbo::space {

Fields::Fields(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
  if (!object.is_object()) refuse(path_, "must be an object with named fields");
}

void Fields::accept_only(std::initializer_list<std::string_view> names) const {
  for (const auto& [name, value] : object_.items()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    refuse(field(name), fmt::format("is not a field; known are {}", fmt::join(names, ", ")));
  }
}

std::string Fields::field(const std::string& name) const {
  return path_.empty() ? name : path_ + "." + name;
}

const Json* Fields::find(const std::string& name) const {
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

const Json& Fields::required(const std::string& name) const {
  const Json* const value = find(name);
  if (value == nullptr) refuse(field(name), "is missing");
  return *value;
}

const Json& Fields::list(const std::string& name) const {
  const Json& value = required(name);
  if (!value.is_array()) refuse(field(name), "must be a list");
  return value;
}

void Fields::read_number(const std::string& name, double& number) const {
  const Json* const value = find(name);
  if (value == nullptr) return;
  if (!value->is_number()) refuse(field(name), "must be a number");
  number = value->get<double>();
}

void Fields::read_flag(const std::string& name, bool& flag) const {
  const Json* const value = find(name);
  if (value == nullptr) return;
  if (!value->is_boolean()) refuse(field(name), "must be true or false");
  flag = value->get<bool>();
}

}  // namespace oscbo::space
