#include "experiment/variant.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "oscbo/experiment.hpp"

namespace oscbo::experiment {
namespace {

bool is_letter(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

/// The position of the first '+' at or after `from` that starts a setting, or the size of `text`.
std::size_t next_setting(std::string_view text, std::size_t from) {
  for (std::size_t i = from; i + 1 < text.size(); ++i) {
    if (text[i] == '+' && is_letter(text[i + 1])) return i;
  }
  return text.size();
}

/// Splits "name=a,b" into "name=a" and "name=b".
std::vector<std::string> swept_settings(const std::string& sweep) {
  const std::size_t equals = sweep.find('=');
  const std::string_view text = sweep;
  std::string_view values =
      equals == std::string::npos ? std::string_view{} : text.substr(equals + 1);
  std::vector<std::string> settings;
  while (true) {
    const std::size_t comma = values.find(',');
    const std::string_view value = values.substr(0, comma);
    if (equals == 0 || value.empty()) {
      throw Error(ErrorCode::invalid_value, "--sweep",
                  fmt::format("'{}' is not accepted; use NAME=VALUE,VALUE,...", sweep));
    }
    settings.push_back(fmt::format("{}={}", text.substr(0, equals), value));
    if (comma == std::string_view::npos) return settings;
    values.remove_prefix(comma + 1);
  }
}

}  // namespace

Variant parse_variant(std::string_view text) {
  std::size_t end = next_setting(text, 0);
  Variant variant{.method = std::string(text.substr(0, end)), .settings = {}};
  while (end < text.size()) {
    const std::size_t begin = end + 1;
    end = next_setting(text, begin);
    variant.settings.emplace_back(text.substr(begin, end - begin));
  }
  return variant;
}

void require_distinct_settings(const Variant& variant) {
  std::set<std::string> seen;
  for (const std::string& setting : variant.settings) {
    const std::string option = setting.substr(0, setting.find('='));
    if (seen.insert(option).second) continue;
    throw Error(
        ErrorCode::invalid_value, option,
        fmt::format("is set twice in '{}+{}'", variant.method, fmt::join(variant.settings, "+")));
  }
}

}  // namespace oscbo::experiment

namespace oscbo {

std::vector<std::string> sweep_methods(std::vector<std::string> methods,
                                       const std::vector<std::string>& sweeps) {
  for (const std::string& sweep : sweeps) {
    const std::vector<std::string> settings = experiment::swept_settings(sweep);
    std::vector<std::string> variants;
    for (const std::string& method : methods) {
      std::ranges::transform(
          settings, std::back_inserter(variants),
          [&](const std::string& setting) { return fmt::format("{}+{}", method, setting); });
    }
    methods = std::move(variants);
  }
  return methods;
}

}  // namespace oscbo
