#include "base/option.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "oscbo/error.hpp"

namespace oscbo {

std::vector<Option> join(std::vector<std::vector<Option>> lists) {
  std::vector<Option> joined;
  for (std::vector<Option>& list : lists) {
    joined.insert(joined.end(), std::move_iterator(list.begin()), std::move_iterator(list.end()));
  }
  return joined;
}

namespace {

[[noreturn]] void refuse(const Option& option, std::string_view text) {
  throw Error(ErrorCode::invalid_value, option.name,
              fmt::format("'{}' is not accepted; use {}", text, option.accepted));
}

}  // namespace

const Option& find_option(std::span<const Option> options, std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const Option& option) { return option.name == name; });
  if (found != options.end()) return *found;
  throw Error(ErrorCode::unknown_name, name.empty() ? "--set" : std::string(name),
              fmt::format("'{}' is not an option; `oscbo options` lists them", name));
}

void assign_option(const Option& option, Config& config, std::string_view value) {
  if (!option.assign(config, value)) refuse(option, value);
}

void check_option(const Option& option, const Config& config) {
  if (!option.is_valid(config)) refuse(option, option.text(config));
}

namespace option {

std::string text_of(double number) { return fmt::format("{}", number); }

std::optional<double> parse(std::string_view text, Range range) {
  double number = 0.0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc() || rest != end || !range.contains(number)) return std::nullopt;
  return number;
}

std::string describe(const char* kind, Range range) {
  if (range.low == -kAny) return "a finite number";
  const bool open = range.ends == Ends::open;
  if (range.high == kAny) return fmt::format("{} {} {}", kind, open ? ">" : ">=", range.low);
  return fmt::format(fmt::runtime(open ? "{} in ({}, {})" : "{} in [{}, {}]"), kind, range.low,
                     range.high);
}

std::string one_of(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " | "));
}

}  // namespace option
}  // namespace oscbo
