#include "study/program_output.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/refusal.hpp"
#include "oscbo/error.hpp"
#include "study/process.hpp"
#include "text/fields.hpp"
#include "text/strict_json.hpp"

namespace oscbo::study {
namespace {

using base::refuse;
using text::Json;

constexpr const char* kOutput = "output";
constexpr const char* kPatternField = "program.pattern";
constexpr std::string_view kLineEnds = "\n\r";
constexpr std::string_view kBlanks = " \t";
constexpr text::WholeRange kSteps = {.least = 0, .most = 9007199254740992};  // 2^53

// --- text ----------------------------------------------------------------------------------------

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// shown returns output in a form that suits a message: short, in quotes, and without control
/// characters.
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

// --- numbers -------------------------------------------------------------------------------------

/// A number at the beginning of a text, and the text after it.
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

/// number_in reads a number. `what` says where the text comes from, as in "the last line".
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

/// pattern_options returns options that limit the size of a compiled pattern, so that every search
/// ends soon. Patterns match bytes, because a program may print text that is not UTF-8.
RE2::Options pattern_options() {
  constexpr std::int64_t kMostMemory = 1 << 20;
  RE2::Options options(RE2::Latin1);
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  return options;
}

/// check_expression refuses an invalid expression and one without a group.
void check_expression(const RE2& expression) {
  if (!expression.ok()) {
    refuse(kPatternField, fmt::format("{} is not a regular expression (RE2): {}",
                                      shown(expression.pattern()), expression.error()));
  }
  if (expression.NumberOfCapturingGroups() == 0) {
    refuse(kPatternField,
           "has no group; put the number in parentheses, as in 'loss: ([-+.e0-9]+)'");
  }
}

/// last_group returns the first group of the last match in a line whose first group took part.
std::optional<std::string_view> last_group(const RE2& expression, std::string_view line) {
  std::optional<std::string_view> group;
  std::array<re2::StringPiece, 2> match;  // the whole match and its first group
  for (std::size_t begin = 0;
       begin <= line.size() && expression.Match(line, begin, line.size(), RE2::UNANCHORED,
                                                match.data(), static_cast<int>(match.size()));) {
    if (match[1].data() != nullptr) group = {match[1].data(), match[1].size()};
    const auto end = static_cast<std::size_t>(match[0].end() - line.data());
    begin = match[0].empty() ? end + 1 : end;
  }
  return group;
}

// --- JSON ----------------------------------------------------------------------------------------

Json json_in(std::string_view line) {
  try {
    return text::parse_json(line, "");
  } catch (const Error& error) {
    const std::string entry = error.field().empty() ? "" : shown(error.field()) + " ";
    refuse(kOutput, fmt::format("the last line, {}: {}{}", shown(line), entry, error.message()));
  }
}

double json_number(const Json& json, const std::string& name) {
  if (!json.is_number()) refuse(kOutput, fmt::format("{} must be a number", shown(name)));
  return json.get<double>();
}

/// refuse_python_numbers refuses NaN and Infinity. Python's json writes these words, although they
/// are not valid JSON.
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

void check_pattern(const std::string& pattern) {
  check_expression(RE2(pattern, pattern_options()));
}

ProgramOutputReader::ProgramOutputReader(const ProgramRules& rules) : source_(rules.value_from) {
  if (source_ != ValueSource::pattern) return;
  pattern_ = std::make_unique<RE2>(rules.pattern, pattern_options());
  check_expression(*pattern_);
}

ProgramOutputReader::~ProgramOutputReader() = default;

void ProgramOutputReader::add(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find_first_of(kLineEnds), lines.size());
    const std::string_view line = trimmed(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.empty()) continue;
    last_line_ = line;
    if (!pattern_ || line.size() >= kLongestLine) continue;
    if (const auto group = last_group(*pattern_, line)) found_ = trimmed(*group);
  }
}

ProgramValue ProgramOutputReader::value() const {
  if (found_) return {.value = number_in(*found_, "what the pattern found")};
  if (last_line_.empty()) refuse(kOutput, "the program printed nothing");
  if (last_line_.size() >= kLongestLine) {
    refuse(kOutput, fmt::format("the last line, {}, is too long for a value", shown(last_line_)));
  }
  switch (source_) {
    case ValueSource::last_line: return {.value = number_in(last_line_, "the last line")};
    case ValueSource::json: return value_by_json(last_line_);
    case ValueSource::pattern: break;
  }
  refuse(kOutput, fmt::format("no line matches the pattern {}; the last line is {}",
                              shown(pattern_->pattern()), shown(last_line_)));
}

std::optional<IntermediateValue> read_intermediate(std::string_view line) {
  if (!trimmed(line).starts_with('{')) return std::nullopt;
  try {
    const Json json = text::parse_json(line, kOutput);
    const text::Fields fields(json, "");
    const auto step = fields.whole("step", kSteps);
    const auto value = fields.number("value");
    if (!step || !value) return std::nullopt;
    return IntermediateValue{.step = *step, .value = *value};
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace oscbo::study
