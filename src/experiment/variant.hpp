// A variant is a method with its own settings, written as one name:
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

/// parse_variant splits the name of a variant. Only a '+' before a letter starts a setting, so
/// numbers such as 1e+5 stay whole.
[[nodiscard]] Variant parse_variant(std::string_view text);

/// require_distinct_settings throws Error (invalid_value) if an option is set twice. Only the last
/// value would count, so the name would be misleading.
void require_distinct_settings(const Variant& variant);

}  // namespace oscbo::experiment
