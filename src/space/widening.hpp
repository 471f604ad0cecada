// Spaces that grow while they are in use.
#pragma once

#include "space/domain.hpp"

namespace oscbo::space {

/// check_holds refuses a space that does not hold every point of `old` under the same numbers:
/// Error (invalid_value) naming the parameter. Bounds may be wider and ordinal numbers more; named
/// values may be added after those known. All else is the same.
void check_holds(const Domain& wider, const Domain& old);

}  // namespace oscbo::space
