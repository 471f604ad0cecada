#include "study/program_output.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>

#include <fmt/format.h>

#include "oscbo/error.hpp"
#include "space/fields.hpp"
#include "space/refusal.hpp"
#include "space/strict_json.hpp"

namespace oscbo::study {
namespace {

using space::Json;
using space::refuse;

constexpr const char* kOutput = "output";
constexpr const char* kPatternField = "program.pattern";
constexpr std::string_view kLineEnds = "\n\r";
constexpr std::string_view kBlanks = " \t";
constexpr std::size_t kLongestSearchedLine = 4096;
constexpr std::size_t kLongestPattern = 200;
constexpr space::WholeRange kSteps = {.least = 0, .most = 9007199254740992};  // 2^53

// --- text ----------------------------------------------------------------------------------------

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// What was printed, fit to stand in a message: short, in quotes, and without control characters.
std::string shown(std::string_view text) {
  constexpr std::size_t kMostBytes = 80;
  std::string result = "'";
  for (const char byte : text.substr(0, kMostBytes)) {
    if (byte >= ' ' && byte <= '~') {
      result += byte;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return result + (text.size() > kMostBytes ? "...'" : "'");
}

/// The lines of a text that are not blank, from the last one up.
class LinesFromTheEnd {
 public:
  explicit LinesFromTheEnd(std::string_view text) : rest_(text) {}

  std::optional<std::string_view> next() {
    while (!rest_.empty()) {
      const std::size_t begin = rest_.find_last_of(kLineEnds) + 1;  // npos + 1 is 0: the first line
      const std::string_view line = trimmed(rest_.substr(begin));
      rest_ = rest_.substr(0, begin == 0 ? 0 : begin - 1);
      if (!line.empty()) return line;
    }
    return std::nullopt;
  }

 private:
  std::string_view rest_;
};

std::string_view last_line(std::string_view output) {
  const auto line = LinesFromTheEnd(output).next();
  if (!line) refuse(kOutput, "the program printed nothing");
  return *line;
}

// --- numbers -------------------------------------------------------------------------------------

/// A number at the beginning of a text, and what stands after it.
struct LeadingNumber {
  double number = 0.0;
  std::errc code = {};
  std::string_view rest;
};

LeadingNumber leading_number(std::string_view text) {
  LeadingNumber result;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, result.number);
  result.code = code;
  result.rest = {stop, static_cast<std::size_t>(end - stop)};
  return result;
}

[[noreturn]] void refuse_as_no_value(std::string_view number) {
  refuse(kOutput, fmt::format("{} is not a value: an evaluation without one has failed, which its "
                              "program says by an exit status other than 0",
                              number));
}

bool has_decimal_comma(std::string_view text) {
  if (std::count(text.begin(), text.end(), ',') != 1) return false;
  std::string with_point(text);
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  const LeadingNumber read = leading_number(with_point);
  return read.code == std::errc() && read.rest.empty();
}

/// `what` says where the text stands: "the last line".
double number_in(std::string_view text, std::string_view what) {
  if (has_decimal_comma(text)) {
    refuse(kOutput, fmt::format("{} has a decimal comma; use a point", shown(text)));
  }
  const LeadingNumber read = leading_number(text);
  if (read.code == std::errc::result_out_of_range) {
    refuse(kOutput, fmt::format("{} is {}, which is beyond the range of a number (double)", what,
                                shown(text)));
  }
  if (read.code != std::errc()) {
    refuse(kOutput, fmt::format("{} is {}, not a number", what, shown(text)));
  }
  if (!read.rest.empty()) {
    refuse(kOutput, fmt::format("{} is {}, not a number: {} is left over", what, shown(text),
                                shown(read.rest)));
  }
  if (!std::isfinite(read.number)) refuse_as_no_value(fmt::format("{}", read.number));
  return read.number;
}

// --- a pattern -----------------------------------------------------------------------------------

/// Counts multiply the states of a search, and the stack that it takes grows with their number.
bool has_large_count(std::string_view pattern) {
  constexpr std::size_t kMostDigits = 2;
  const auto digits_at = [&](std::size_t begin) {
    return std::min(pattern.find_first_not_of("0123456789", begin), pattern.size()) - begin;
  };
  for (std::size_t brace = pattern.find('{'); brace != std::string_view::npos;
       brace = pattern.find('{', brace + 1)) {
    const bool repeats_more =
        brace > 0 && std::string_view(")}*+?").find(pattern[brace - 1]) != std::string_view::npos;
    const std::size_t least = digits_at(brace + 1);
    const std::size_t comma = brace + 1 + least;
    const bool has_most = comma < pattern.size() && pattern[comma] == ',';
    const std::size_t most = has_most ? digits_at(comma + 1) : 0;
    if (repeats_more || std::max(least, most) > kMostDigits) return true;
  }
  return false;
}

/// __polynomial, an extension of libstdc++, searches breadth first. The usual search goes as deep
/// into the stack as the line is long, which some patterns bring to an end within 4096 bytes, and
/// may take exponential time.
std::regex compiled(const std::string& pattern) {
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error& error) {
    refuse(kPatternField, fmt::format("{} is not a regular expression (ECMAScript): {}",
                                      shown(pattern), error.what()));
  }
}

std::regex checked_pattern(const std::string& pattern) {
  if (pattern.size() > kLongestPattern) {
    refuse(kPatternField,
           fmt::format("is too long; at most {} bytes are accepted", kLongestPattern));
  }
  if (has_large_count(pattern)) {
    refuse(
        kPatternField,
        "has a count in braces that is too large; up to 99 of a character or class are accepted");
  }
  std::regex expression = compiled(pattern);
  if (expression.mark_count() == 0) {
    refuse(kPatternField,
           "has no group; put the number in parentheses, as in 'loss: ([-+.e0-9]+)'");
  }
  return expression;
}

/// The first group of the last match in a line.
std::optional<std::string_view> last_group(const std::regex& pattern, std::string_view line) {
  std::optional<std::string_view> group;
  using Matches = std::regex_iterator<const char*>;
  for (Matches match(line.data(), line.data() + line.size(), pattern); match != Matches();
       ++match) {
    const auto& first = (*match)[1];
    if (first.matched) group = {first.first, static_cast<std::size_t>(first.length())};
  }
  return group;
}

ProgramValue value_by_pattern(const std::string& pattern, std::string_view output) {
  const std::regex expression = checked_pattern(pattern);
  LinesFromTheEnd lines(output);
  while (const auto line = lines.next()) {
    if (line->size() > kLongestSearchedLine) continue;
    if (const auto group = last_group(expression, *line)) {
      return {.value = number_in(trimmed(*group), "what the pattern found")};
    }
  }
  refuse(kOutput, fmt::format("no line matches the pattern {}; the last line is {}", shown(pattern),
                              shown(last_line(output))));
}

// --- JSON ----------------------------------------------------------------------------------------

Json json_in(std::string_view line) {
  try {
    return space::parse_json(line, "");
  } catch (const Error& error) {
    const std::string entry = error.field().empty() ? "" : shown(error.field()) + " ";
    refuse(kOutput, fmt::format("the last line, {}: {}{}", shown(line), entry, error.message()));
  }
}

double json_number(const Json& json, const std::string& name) {
  if (!json.is_number()) refuse(kOutput, fmt::format("{} must be a number", shown(name)));
  return json.get<double>();
}

/// Python's json writes words that are not JSON for numbers that are no values.
void refuse_python_numbers(std::string_view line) {
  for (const std::string_view word : {"NaN", "Infinity"}) {
    if (line.find(word) != std::string_view::npos && !Json::accept(line)) refuse_as_no_value(word);
  }
}

ProgramValue value_by_json(std::string_view line) {
  refuse_python_numbers(line);
  const Json json = json_in(line);
  if (!json.is_object() || !json.contains("value")) {
    refuse(kOutput, fmt::format(R"(the last line is {}, not like {{"value": 1.5}})", shown(line)));
  }
  if (json.contains("step")) {
    refuse(kOutput,
           fmt::format("the last line, {}, is an intermediate value: it has a step", shown(line)));
  }
  ProgramValue result{.value = json_number(json["value"], "value")};
  if (const auto variance = json.find("variance"); variance != json.end()) {
    result.variance = json_number(*variance, "variance");
    if (*result.variance < 0.0) refuse(kOutput, "'variance' is negative");
  }
  const auto metrics = json.find("metrics");
  if (metrics == json.end()) return result;
  if (!metrics->is_object()) refuse(kOutput, "'metrics' must be an object: name to number");
  for (const auto& [name, metric] : metrics->items()) {
    result.metrics.emplace_back(name, json_number(metric, "metrics." + name));
  }
  return result;
}

}  // namespace

void check_pattern(const std::string& pattern) { static_cast<void>(checked_pattern(pattern)); }

ProgramValue read_program_value(const ProgramRules& rules, std::string_view output) {
  const std::string_view line = last_line(output);
  switch (rules.value_from) {
    case ValueSource::last_line: return {.value = number_in(line, "the last line")};
    case ValueSource::pattern: return value_by_pattern(rules.pattern, output);
    case ValueSource::json: return value_by_json(line);
  }
  throw Error(ErrorCode::internal, kOutput, "unknown source of values");
}

std::optional<IntermediateValue> read_intermediate(std::string_view line) {
  if (!trimmed(line).starts_with('{')) return std::nullopt;
  try {
    const Json json = space::parse_json(line, kOutput);
    const space::Fields fields(json, "");
    const auto step = fields.whole("step", kSteps);
    const auto value = fields.number("value");
    if (!step || !value) return std::nullopt;
    return IntermediateValue{.step = *step, .value = *value};
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace oscbo::study
