#include "text/fields.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/refusal.hpp"

namespace oscbo::text {
namespace {

using base::refuse;

/// Returns the value if it is an integer and exact, otherwise nothing.
std::optional<std::int64_t> exact_whole(const Json& value) {
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (std::cmp_greater(number, std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  if (number != std::floor(number) || std::abs(number) > kLargestExact) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

/// Describes a value in a message. Lists and objects are not written out, because they may be
/// nested deeply.
std::string described(const Json& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return value.dump();
}

}  // namespace

void WholeRange::refuse(const std::string& text, const std::string& field) const {
  base::refuse(field,
               fmt::format("{} is not accepted; use an integer in [{}, {}]", text, least, most));
}

Fields::Fields(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
  if (!object.is_object()) refuse(path_, "must be an object with named fields");
}

void Fields::accept_only(std::initializer_list<std::string_view> names) const {
  for (const auto& [name, value] : object_.items()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    refuse(field(name), fmt::format("is not a known field; use {}", fmt::join(names, ", ")));
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

std::optional<double> Fields::number(const std::string& name) const {
  const Json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) refuse(field(name), "must be a number");
  return value->get<double>();
}

std::optional<std::int64_t> Fields::whole(const std::string& name, WholeRange range) const {
  const Json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  const std::optional<std::int64_t> number = exact_whole(*value);
  if (!number) range.refuse(described(*value), field(name));
  range.check(*number, field(name));
  return number;
}

void Fields::read_number(const std::string& name, double& number) const {
  number = this->number(name).value_or(number);
}

void Fields::read_flag(const std::string& name, bool& flag) const {
  const Json* const value = find(name);
  if (value == nullptr) return;
  if (!value->is_boolean()) refuse(field(name), "must be true or false");
  flag = value->get<bool>();
}

void Fields::read_text(const std::string& name, std::string& text) const {
  const Json* const value = find(name);
  if (value == nullptr) return;
  if (!value->is_string()) refuse(field(name), "must be a string");
  text = value->get<std::string>();
}

std::optional<std::size_t> Fields::word_position(const std::string& name,
                                                 std::span<const std::string_view> words) const {
  const Json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  const auto found = value->is_string()
                         ? std::find(words.begin(), words.end(), value->get<std::string>())
                         : words.end();
  if (found == words.end()) {
    refuse(field(name),
           fmt::format("{} is not accepted; use {}", described(*value), fmt::join(words, " | ")));
  }
  return static_cast<std::size_t>(found - words.begin());
}

}  // namespace oscbo::text
