// Declarations of spaces as JSON: the one list of their fields, which other formats are turned
// into.
#pragma once

#include <string>
#include <string_view>

#include "oscbo/space.hpp"

namespace oscbo::space {

/// read_declaration throws Error (invalid_value) naming the field that is unknown, missing or of
/// the wrong type; whether the values make sense is for `Space` to say.
[[nodiscard]] SpaceDeclaration read_declaration(std::string_view text);

/// write_declaration returns a text from which read_declaration makes the same declaration.
[[nodiscard]] std::string write_declaration(const SpaceDeclaration& declaration);

}  // namespace oscbo::space
