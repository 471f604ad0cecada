// A strict JSON parser: it refuses an object with a repeated name, instead of taking the last
// value.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace oscbo::text {

/// Names keep the order of the text.
using Json = nlohmann::ordered_json;

/// parse_json parses a text. Throws Error (invalid_value). If the text is not valid JSON, the error
/// names `field`, the line and the column. If the text is nested too deeply or has a number that is
/// too large, the error names `field`. If a name occurs twice in an object, the error names its
/// path.
[[nodiscard]] Json parse_json(std::string_view text, const std::string& field);

}  // namespace oscbo::text
