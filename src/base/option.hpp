// Declarations of options. An option is declared once, beside the struct that holds its value:
//
//   std::vector<Option> refit_options() {
//     return {number("refit.growth", &RefitOptions::growth, {0, 10}, "learn again after ..."),
//             integer("refit.after", &RefitOptions::after, {1, 1e6}, "with at most ...")};
//   }
//
// Parsing, validation, help and the reference page use nothing but these declarations.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "oscbo/config.hpp"

namespace oscbo {

struct Option {
  std::string name;                                       // "kernel.nu"
  std::string accepted;                                   // "a number in [0.01, 100000]"
  std::string meaning;                                    // one line
  std::function<std::string(const Config&)> text;         // the value as it would be typed
  std::function<bool(Config&, std::string_view)> assign;  // false: the text is not accepted
  std::function<bool(const Config&)> is_valid = [](const Config&) { return true; };
};

/// join concatenates lists of options.
[[nodiscard]] std::vector<Option> join(std::vector<std::vector<Option>> lists);

/// find_option returns the option `name` of the list. Throws Error (unknown_name) if there is none.
[[nodiscard]] const Option& find_option(std::span<const Option> options, std::string_view name);

/// assign_option parses `value` and assigns it. If the value is not accepted, it throws Error
/// (invalid_value) and leaves `config` unchanged.
void assign_option(const Option& option, Config& config, std::string_view value);

/// check_option throws Error (invalid_value) if the value in `config` is not accepted.
void check_option(const Option& option, const Config& config);

namespace option {

enum class Ends { closed, open };

inline constexpr double kAny = std::numeric_limits<double>::max();

struct Range {
  double low;
  double high;
  Ends ends = Ends::closed;

  [[nodiscard]] bool contains(double number) const {
    return ends == Ends::closed ? number >= low && number <= high : number > low && number < high;
  }
};

template <class Enum>
using Choices = std::vector<std::pair<const char*, Enum>>;

/// A number as it would be typed: the shortest text that reads back as the same number.
[[nodiscard]] std::string text_of(double number);
[[nodiscard]] std::optional<double> parse(std::string_view text, Range range);
[[nodiscard]] std::string describe(const char* kind, Range range);
[[nodiscard]] std::string one_of(const std::vector<std::string>& words);  // "a | b"

/// A member of a group of options, or of Config itself.
template <class Group, class Value>
[[nodiscard]] const Value& read(const Config& config, Value Group::*member) {
  if constexpr (std::is_same_v<Group, Config>) {
    return config.*member;
  } else {
    return config.get<Group>().*member;
  }
}
template <class Group, class Value>
[[nodiscard]] Value& edit(Config& config, Value Group::*member) {
  if constexpr (std::is_same_v<Group, Config>) {
    return config.*member;
  } else {
    return config.edit<Group>().*member;
  }
}

template <class Enum>
[[nodiscard]] std::vector<std::string> names_of(const Choices<Enum>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) names.emplace_back(name);
  return names;
}
template <class Enum>
[[nodiscard]] std::string name_of(const Choices<Enum>& choices, Enum value) {
  for (const auto& [name, candidate] : choices) {
    if (candidate == value) return name;
  }
  return "?";
}
template <class Enum>
[[nodiscard]] std::optional<Enum> value_of(const Choices<Enum>& choices, std::string_view text) {
  for (const auto& [name, candidate] : choices) {
    if (text == name) return candidate;
  }
  return std::nullopt;
}

template <class Group>
[[nodiscard]] Option number(const char* name, double Group::*member, Range range,
                            const char* meaning) {
  return {.name = name,
          .accepted = describe("a number", range),
          .meaning = meaning,
          .text = [=](const Config& config) { return text_of(read(config, member)); },
          .assign =
              [=](Config& config, std::string_view text) {
                const std::optional<double> number = parse(text, range);
                if (number) edit(config, member) = *number;
                return number.has_value();
              },
          .is_valid = [=](const Config& config) { return range.contains(read(config, member)); }};
}

template <class Group>
[[nodiscard]] Option integer(const char* name, int Group::*member, Range range,
                             const char* meaning) {
  return {.name = name,
          .accepted = describe("an integer", range),
          .meaning = meaning,
          .text = [=](const Config& config) { return std::to_string(read(config, member)); },
          .assign =
              [=](Config& config, std::string_view text) {
                const std::optional<double> number = parse(text, range);
                if (!number || *number != static_cast<int>(*number)) return false;
                edit(config, member) = static_cast<int>(*number);
                return true;
              },
          .is_valid = [=](const Config& config) { return range.contains(read(config, member)); }};
}

/// One of a few words. `member` may be an enumeration or a bool.
template <class Group, class Enum>
[[nodiscard]] Option choice(const char* name, Enum Group::*member,
                            const std::type_identity_t<Choices<Enum>>& choices,
                            const char* meaning) {
  return {.name = name,
          .accepted = one_of(names_of(choices)),
          .meaning = meaning,
          .text = [=](const Config& config) { return name_of(choices, read(config, member)); },
          .assign =
              [=](Config& config, std::string_view text) {
                const std::optional<Enum> value = value_of(choices, text);
                if (value) edit(config, member) = *value;
                return value.has_value();
              }};
}

template <class Group>
[[nodiscard]] Option flag(const char* name, bool Group::*member, const char* meaning) {
  return choice(name, member, {{"true", true}, {"false", false}}, meaning);
}

/// One of a few numbers.
template <class Group>
[[nodiscard]] Option number_among(const char* name, double Group::*member,
                                  const std::vector<double>& numbers, const char* meaning) {
  std::vector<std::string> words;
  words.reserve(numbers.size());
  for (const double number : numbers) words.push_back(text_of(number));
  const auto contains = [=](double value) {
    return std::find(numbers.begin(), numbers.end(), value) != numbers.end();
  };
  return {.name = name,
          .accepted = one_of(words),
          .meaning = meaning,
          .text = [=](const Config& config) { return text_of(read(config, member)); },
          .assign =
              [=](Config& config, std::string_view text) {
                const std::optional<double> number = parse(text, {-kAny, kAny});
                if (!number || !contains(*number)) return false;
                edit(config, member) = *number;
                return true;
              },
          .is_valid = [=](const Config& config) { return contains(read(config, member)); }};
}

/// A number or no number. The argument `none` is the word for no number, e.g. "default".
template <class Group>
[[nodiscard]] Option optional_number(const char* name, std::optional<double> Group::*member,
                                     const char* none, Range range, const char* meaning) {
  return {.name = name,
          .accepted = one_of({none, describe("a number", range)}),
          .meaning = meaning,
          .text =
              [=](const Config& config) {
                const std::optional<double>& value = read(config, member);
                return value ? text_of(*value) : none;
              },
          .assign =
              [=](Config& config, std::string_view text) {
                const std::optional<double> number = parse(text, range);
                if (!number && text != none) return false;
                edit(config, member) = number;
                return true;
              },
          .is_valid =
              [=](const Config& config) {
                const std::optional<double>& value = read(config, member);
                return !value || range.contains(*value);
              }};
}

/// One of a few words, or a number. For a number, `member` has the value `is_number` and `number`
/// holds the number.
template <class Group, class Enum>
[[nodiscard]] Option choice_or_number(const char* name, Enum Group::*member,
                                      const std::type_identity_t<Choices<Enum>>& choices,
                                      std::type_identity_t<Enum> is_number, double Group::*number,
                                      Range range, const char* meaning) {
  std::vector<std::string> words = names_of(choices);
  words.push_back(describe("a number", range));
  return {.name = name,
          .accepted = one_of(words),
          .meaning = meaning,
          .text =
              [=](const Config& config) {
                const Enum value = read(config, member);
                return value == is_number ? text_of(read(config, number)) : name_of(choices, value);
              },
          .assign =
              [=](Config& config, std::string_view text) {
                const std::optional<Enum> word = value_of(choices, text);
                const std::optional<double> parsed = parse(text, range);
                if (!word && !parsed) return false;
                edit(config, member) = word.value_or(is_number);
                if (!word) edit(config, number) = *parsed;
                return true;
              },
          .is_valid =
              [=](const Config& config) {
                return read(config, member) != is_number || range.contains(read(config, number));
              }};
}

/// A string. `accepts` decides which strings are accepted, and `accepted` describes them.
template <class Group>
[[nodiscard]] Option text(const char* name, std::string Group::*member, const std::string& accepted,
                          const std::function<bool(std::string_view)>& accepts,
                          const char* meaning) {
  return {.name = name,
          .accepted = accepted,
          .meaning = meaning,
          .text = [=](const Config& config) { return read(config, member); },
          .assign =
              [=](Config& config, std::string_view text) {
                if (!accepts(text)) return false;
                edit(config, member) = text;
                return true;
              },
          .is_valid = [=](const Config& config) { return accepts(read(config, member)); }};
}

/// A string that must be one of `names`.
template <class Group>
[[nodiscard]] Option name(const char* name, std::string Group::*member,
                          const std::vector<std::string>& names, const char* meaning) {
  const auto contains = [=](std::string_view text) {
    return std::find(names.begin(), names.end(), text) != names.end();
  };
  return text(name, member, one_of(names), contains, meaning);
}

}  // namespace option
}  // namespace oscbo
