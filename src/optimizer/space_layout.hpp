// The columns of a space as a kernel sees them.
#pragma once

#include <vector>

#include "gp/layout.hpp"
#include "space/domain.hpp"

namespace oscbo {

[[nodiscard]] inline gp::Layout layout_of(const space::Domain& domain) {
  using Kind = space::ParameterColumns::Kind;
  std::vector<gp::ParameterKind> kinds;
  for (std::size_t k = 0; k < domain.size(); ++k) {
    switch (domain.parameter_columns(k).kind) {
      case Kind::none: break;
      case Kind::number: kinds.push_back(gp::ParameterKind::numeric); break;
      case Kind::category: kinds.push_back(gp::ParameterKind::categorical); break;
      case Kind::arc: kinds.push_back(gp::ParameterKind::conditional); break;
    }
  }
  return gp::Layout(kinds);
}

}  // namespace oscbo
