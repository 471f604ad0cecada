// JSON in which every name counts: a text that says something twice is refused, not read as its
// last word.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace oscbo::text {

/// Names keep the order in which they were declared.
using Json = nlohmann::ordered_json;

/// parse_json throws Error (invalid_value): naming `field` and the place where the text is not
/// JSON, or saying that it is nested too deeply; or naming the entry that stands there twice.
[[nodiscard]] Json parse_json(std::string_view text, const std::string& field);

}  // namespace oscbo::text
