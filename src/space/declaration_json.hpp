// Declarations of spaces as JSON: the one list of their fields, which other formats are turned
// into.
#pragma once

#include <string>
#include <string_view>

#include "oscbo/space.hpp"
#include "text/fields.hpp"

namespace oscbo::space {

/// read_declaration throws Error (invalid_value) naming the field that is unknown, missing or of
/// the wrong type; whether the values make sense is for `Space` to say.
[[nodiscard]] SpaceDeclaration read_declaration(std::string_view text);

/// read_declaration for an object that has the fields of a space, and maybe others.
[[nodiscard]] SpaceDeclaration read_declaration(const text::Fields& fields);

/// declaration_to_json returns an object from which read_declaration makes the same declaration.
[[nodiscard]] text::Json declaration_to_json(const SpaceDeclaration& declaration);

}  // namespace oscbo::space
