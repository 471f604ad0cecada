// The check that a space may be widened while a study uses it.
#pragma once

#include "space/domain.hpp"

namespace oscbo::space {

/// check_holds throws Error (invalid_value) unless every point of `old` is also a point of `wider`,
/// stored as the same numbers (a named value is stored as its position). The error names the
/// parameter. Bounds may be wider, an ordinal parameter may have more values, and named values may
/// be added after the existing ones. Everything else must be the same.
void check_holds(const Domain& wider, const Domain& old);

}  // namespace oscbo::space
