#include "gp/layout.hpp"

#include <algorithm>

namespace oscbo::gp {

Layout::Layout(std::span<const ParameterShape> shapes) {
  list_.reserve(shapes.size());
  for (const auto& [kind, categories] : shapes) {
    list_.push_back({.first = columns(),
                     .columns = kind == ParameterKind::conditional ? 2 : 1,
                     .is_categorical = kind == ParameterKind::categorical,
                     .categories = categories});
  }
}

Layout Layout::plain(Index dimension) {
  return Layout(std::vector<ParameterShape>(static_cast<std::size_t>(dimension)));
}

bool Layout::is_plain() const { return std::ranges::all_of(list_, &Parameter::is_plain); }

}  // namespace oscbo::gp
