#include "study/program_arguments.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/refusal.hpp"
#include "space/domain.hpp"
#include "study/process.hpp"

namespace oscbo::study {
namespace {

using base::refuse;

constexpr std::string_view kFileName = "file";
constexpr std::string_view kTrialName = "trial";

/// A part of an argument: literal text, or a name in braces.
struct ArgumentPart {
  std::string text;
  bool is_name = false;
};

class ArgumentReader {
 public:
  ArgumentReader(std::string_view argument, const std::string& field)
      : rest_(argument), field_(field) {}

  std::vector<ArgumentPart> read() {
    std::vector<ArgumentPart> parts;
    while (!rest_.empty()) parts.push_back(next());
    return parts;
  }

 private:
  ArgumentPart next() {
    if (rest_.starts_with("{{") || rest_.starts_with("}}")) {
      ArgumentPart brace{.text = std::string(1, rest_.front())};
      rest_.remove_prefix(2);
      return brace;
    }
    if (rest_.front() == '{') return name();
    if (rest_.front() == '}') refuse(field_, "has a } without a {; }} stands for a brace");
    return {.text = take(rest_.find_first_of("{}"))};
  }

  ArgumentPart name() {
    rest_.remove_prefix(1);
    const std::size_t end = rest_.find_first_of("{}");
    if (end == std::string_view::npos || rest_[end] == '{') {
      refuse(field_, "has a { that is not closed; {{ stands for a brace");
    }
    ArgumentPart part{.text = take(end), .is_name = true};
    rest_.remove_prefix(1);
    return part;
  }

  std::string take(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return std::string(taken);
  }

  std::string_view rest_;
  const std::string& field_;
};

std::string argument_field(std::size_t i) { return fmt::format("program.command[{}]", i); }

[[noreturn]] void refuse_placeholder(const std::string& name, const Space& space,
                                     const std::string& field) {
  if (name == kFileName) refuse(field, "{file} is there with values_by = \"file\" only");
  std::vector<std::string> known;
  for (const Parameter& parameter : space.declaration().parameters) known.push_back(parameter.name);
  refuse(field, fmt::format("{{{}}} is not a parameter; use {} or trial; {{{{ and }}}} stand for "
                            "braces",
                            name, fmt::join(known, ", ")));
}

/// placeholder_parameter returns the parameter that a name in braces stands for. It returns nullopt
/// for {trial} and {file}.
std::optional<std::size_t> placeholder_parameter(const std::string& name, const ProgramRules& rules,
                                                 const Space& space, const std::string& field) {
  const std::optional<std::size_t> parameter = space.domain().find(name);
  const bool is_ours =
      name == kTrialName || (name == kFileName && rules.values_by == ValuesBy::file);
  if (!is_ours && !parameter) refuse_placeholder(name, space, field);
  if (is_ours && parameter) {
    refuse(field, fmt::format("{{{}}} is ambiguous; rename the parameter '{}'", name, name));
  }
  return parameter;
}

bool has_zero_byte(std::string_view text) { return text.find('\0') != std::string_view::npos; }

/// check_values_can_be_passed refuses values with a zero byte, at which arguments and environment
/// variables would end. It also refuses parameters that cannot name an environment variable.
void check_values_can_be_passed(const ProgramRules& rules, const Space& space) {
  for (const Parameter& parameter : space.declaration().parameters) {
    const std::string field = "parameters." + parameter.name;
    if (std::any_of(parameter.values.begin(), parameter.values.end(), has_zero_byte)) {
      refuse(field, "has a value with a zero byte, at which an argument would end");
    }
    constexpr std::string_view kInVariables =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    if (rules.values_by == ValuesBy::environment &&
        parameter.name.find_first_not_of(kInVariables) != std::string::npos) {
      refuse(field, "cannot be the name of an environment variable; use letters, digits and _");
    }
  }
}

}  // namespace

void check_command(const ProgramRules& rules, const Space& space) {
  if (rules.command.empty() || rules.command.front().empty()) {
    refuse("program.command", "names no program");
  }
  bool names_file = false;
  for (std::size_t i = 0; i < rules.command.size(); ++i) {
    const std::string field = argument_field(i);
    if (has_zero_byte(rules.command[i])) refuse(field, "has a zero byte, at which it would end");
    for (const ArgumentPart& part : ArgumentReader(rules.command[i], field).read()) {
      if (!part.is_name) continue;
      static_cast<void>(placeholder_parameter(part.text, rules, space, field));
      names_file = names_file || part.text == kFileName;
    }
  }
  if (rules.values_by == ValuesBy::file && !names_file) {
    refuse("program.command", "has no {file}, so that the program would not know its values");
  }
  check_values_can_be_passed(rules, space);
}

std::vector<std::string> arguments_for(const ProgramRules& rules, const Space& space,
                                       std::span<const double> x, std::int64_t trial,
                                       const std::string& file) {
  const auto text_of = [&](const std::string& name, const std::string& field) {
    const auto parameter = placeholder_parameter(name, rules, space, field);
    if (!parameter) return name == kFileName ? file : std::to_string(trial);
    return space.is_active(x, *parameter) ? space.text(*parameter, x[*parameter]) : "";
  };
  std::vector<std::string> arguments;
  for (const std::string& argument : rules.command) {
    const std::string field = argument_field(arguments.size());
    std::string filled;
    for (const ArgumentPart& part : ArgumentReader(argument, field).read()) {
      filled += part.is_name ? text_of(part.text, field) : part.text;
    }
    arguments.push_back(std::move(filled));
  }
  return arguments;
}

std::vector<std::pair<std::string, std::string>> environment_for(const Space& space,
                                                                 std::span<const double> x) {
  std::vector<std::pair<std::string, std::string>> variables;
  for (std::size_t k = 0; k < space.dimension(); ++k) {
    if (!space.is_active(x, k)) continue;
    variables.emplace_back(std::string(kParameterVariable) + space.declaration().parameters[k].name,
                           space.text(k, x[k]));
  }
  return variables;
}

}  // namespace oscbo::study
