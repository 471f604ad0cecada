// The columns of a space as a kernel sees them.
#pragma once

#include <vector>

#include "gp/layout.hpp"
#include "space/domain.hpp"

namespace oscbo {

[[nodiscard]] inline gp::Layout layout_of(const space::Domain& domain) {
  using Kind = space::ParameterColumns::Kind;
  std::vector<gp::ParameterShape> shapes;
  for (std::size_t k = 0; k < domain.size(); ++k) {
    const space::ParameterColumns& columns = domain.parameter_columns(k);
    switch (columns.kind) {
      case Kind::none: break;
      case Kind::number: shapes.push_back({gp::ParameterKind::numeric}); break;
      case Kind::category:
        shapes.push_back({gp::ParameterKind::categorical, static_cast<gp::Index>(columns.codes)});
        break;
      case Kind::arc: shapes.push_back({gp::ParameterKind::conditional}); break;
    }
  }
  return gp::Layout(shapes);
}

}  // namespace oscbo
