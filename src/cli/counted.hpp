// Counts with their nouns, for messages, as in src/base/counted.hpp.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace oscbo::cli {

/// counted returns a count with its noun: "1 point", "2 points".
template <std::integral Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace oscbo::cli
