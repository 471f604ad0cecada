// Checks for spaces that are widened while a study uses them.
#pragma once

#include "space/domain.hpp"

namespace oscbo::space {

/// check_holds throws Error (invalid_value) unless every point of `old` is a point of `wider` with
/// the same numbers. The error names the parameter. Bounds may be wider, ordinal numbers may be
/// added, and named values may be added after the existing ones. Everything else must be the same.
void check_holds(const Domain& wider, const Domain& old);

}  // namespace oscbo::space
