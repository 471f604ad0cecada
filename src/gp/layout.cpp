#include "gp/layout.hpp"

#include <algorithm>

namespace oscbo::gp {

Layout::Layout(std::span<const ParameterKind> kinds) {
  list_.reserve(kinds.size());
  for (const ParameterKind kind : kinds) {
    list_.push_back({.first = columns(),
                     .columns = kind == ParameterKind::conditional ? 2 : 1,
                     .is_categorical = kind == ParameterKind::categorical});
  }
}

Layout Layout::plain(Index dimension) {
  return Layout(
      std::vector<ParameterKind>(static_cast<std::size_t>(dimension), ParameterKind::numeric));
}

bool Layout::is_plain() const { return std::ranges::all_of(list_, &Parameter::is_plain); }

}  // namespace oscbo::gp
