// Declarations of spaces as JSON. This is the only list of their fields: other formats are
// converted to JSON.
#pragma once

#include <string>
#include <string_view>

#include "oscbo/space.hpp"
#include "text/fields.hpp"

namespace oscbo::space {

/// read_declaration parses a declaration. Throws Error (invalid_value) naming a field that is
/// unknown, missing or of the wrong type. `Space` checks the values.
[[nodiscard]] SpaceDeclaration read_declaration(std::string_view text);

/// read_declaration reads an object that has the fields of a space and possibly others.
[[nodiscard]] SpaceDeclaration read_declaration(const text::Fields& fields);

/// declaration_to_json returns an object that read_declaration turns into the same declaration.
[[nodiscard]] text::Json declaration_to_json(const SpaceDeclaration& declaration);

}  // namespace oscbo::space
