// The mapping from the parameters of a problem to the columns of gp::Inputs:
//
//   numeric       one column: the parameter in [0, 1]
//   categorical   one column: the code of the category. Codes are only compared for equality, so
//                 the distance of two categories is 0 or 1
//   conditional   two columns, for a numeric parameter u in [0, 1] that may be inactive:
//                 (cos u, sin u) if it is active and (0, 0) if not. So two active values are
//                 2 sin(|u - u'| / 2) apart, and every active value has distance 1 from the
//                 inactive state. These are distances in the plane, for which the kernels are
//                 positive definite
//
// A parameter has one lengthscale, however many columns it has.
#pragma once

#include <span>
#include <vector>

#include "gp/numeric_names.hpp"

namespace oscbo::gp {

enum class ParameterKind { numeric, categorical, conditional };

struct ParameterShape {
  ParameterKind kind = ParameterKind::numeric;
  Index categories = 0;  // the number of codes of a categorical parameter
};

/// Layout is a value type.
class Layout {
 public:
  struct Parameter {
    Index first = 0;    // its first column
    Index columns = 0;  // its number of columns
    bool is_categorical = false;
    Index categories = 0;  // the codes are 0 .. categories - 1

    /// is_plain tells whether the parameter is numeric, so that its column is the parameter itself.
    [[nodiscard]] bool is_plain() const { return columns == 1 && !is_categorical; }
    [[nodiscard]] Index end() const { return first + columns; }

    bool operator==(const Parameter&) const = default;
  };

  /// The columns are in the order of the parameters.
  explicit Layout(std::span<const ParameterShape> shapes);

  /// plain returns the layout of `dimension` numeric parameters.
  [[nodiscard]] static Layout plain(Index dimension);

  /// is_plain tells whether all parameters are numeric, so that column k is parameter k.
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
