// Counts with their nouns, for messages: "1 point", "2 points".
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace oscbo::base {

/// by_count returns `one` for a count of 1 and `many` for every other count.
template <std::integral Count>
[[nodiscard]] constexpr std::string_view by_count(Count count, std::string_view one,
                                                  std::string_view many) {
  return count == 1 ? one : many;
}

/// counted returns a count with its noun: "1 point", "2 points".
template <std::integral Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun) {
  std::string text = std::to_string(count);
  text += ' ';
  text += noun;
  return text += by_count(count, "", "s");
}

}  // namespace oscbo::base
