// A variant is a method with settings of its own, written as one name:
// "oscbo+kernel.nu=0.5+fit.start=cold".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oscbo::experiment {

struct Variant {
  std::string method;
  std::vector<std::string> settings;  // "name=value", in the order of the text
};

/// parse_variant takes a variant's name apart. A '+' that is followed by a letter begins a setting,
/// so that numbers such as 1e+5 stay whole.
[[nodiscard]] Variant parse_variant(std::string_view text);

/// require_distinct_settings throws Error (invalid_value) when an option is set twice: only the
/// last would count, and the name would promise something else.
void require_distinct_settings(const Variant& variant);

}  // namespace oscbo::experiment
