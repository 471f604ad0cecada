// How the parameters of a problem lie in the columns of gp::Inputs:
//
//   numeric       one column, the parameter in [0, 1]
//   categorical   one column, the code of the category. Codes are compared for equality, no more:
//                 categories are 0 or 1 apart
//   conditional   a numeric one, u in [0, 1], that may be inactive, in two columns: (cos u, sin u),
//                 and (0, 0) where it is inactive. So two values are 2 sin(|u - u'| / 2) apart, and
//                 inactive is 1 from each of them: distances of points of the plane, for which the
//                 kernels are positive definite
//
// A parameter has one lengthscale, whatever its columns.
#pragma once

#include <span>
#include <vector>

#include "numeric/padded_matrix.hpp"

namespace oscbo::gp {

using numeric::Index;

enum class ParameterKind { numeric, categorical, conditional };

/// A value.
class Layout {
 public:
  struct Parameter {
    Index first;    // column
    Index columns;  // from there on
    bool is_categorical;

    /// is_plain returns whether the parameter is the coordinate in its column.
    [[nodiscard]] bool is_plain() const { return columns == 1 && !is_categorical; }
    [[nodiscard]] Index end() const { return first + columns; }

    bool operator==(const Parameter&) const = default;
  };

  /// The columns are in the order of the parameters.
  explicit Layout(std::span<const ParameterKind> kinds);

  /// plain returns that of d numeric parameters.
  [[nodiscard]] static Layout plain(Index dimension);

  /// is_plain returns whether all parameters are numeric: column k is parameter k.
  [[nodiscard]] bool is_plain() const;

  [[nodiscard]] Index parameters() const { return static_cast<Index>(list_.size()); }
  [[nodiscard]] Index columns() const { return list_.empty() ? 0 : list_.back().end(); }
  [[nodiscard]] const Parameter& operator[](Index parameter) const {
    return list_[static_cast<std::size_t>(parameter)];
  }

  bool operator==(const Layout&) const = default;

 private:
  std::vector<Parameter> list_;
};

}  // namespace oscbo::gp
