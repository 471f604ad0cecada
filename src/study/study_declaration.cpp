#include "oscbo/study_declaration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/refusal.hpp"
#include "oscbo/error.hpp"
#include "oscbo/options.hpp"
#include "oscbo/serialisation.hpp"
#include "oscbo/weights.hpp"
#include "space/declaration_json.hpp"
#include "study/program_arguments.hpp"
#include "study/program_output.hpp"
#include "text/fields.hpp"

namespace oscbo {
namespace {

using base::refuse;
using text::Fields;
using text::Json;
using text::WholeRange;

constexpr std::array kGoals = {Goal::maximize, Goal::minimize};
constexpr std::array kWays = {ValuesBy::arguments, ValuesBy::environment, ValuesBy::file};
constexpr std::array kSources = {ValueSource::last_line, ValueSource::pattern, ValueSource::json};
constexpr std::array kPruningKinds = {PruningKind::none, PruningKind::median, PruningKind::halving};

constexpr WholeRange kEvaluations = {.least = 1, .most = 1000000};
constexpr WholeRange kSeeds = {.least = 0, .most = 9007199254740992};  // 2^53: exact in any JSON
constexpr WholeRange kMegabytes = {.least = 1, .most = 1000000000};
constexpr WholeRange kRetries = {.least = 0, .most = 100};
constexpr WholeRange kFirstSteps = {.least = 0, .most = 1000000000};

// --- reading -------------------------------------------------------------------------------------

void read_int(const Fields& fields, const std::string& name, WholeRange range, int& number) {
  number = static_cast<int>(fields.whole(name, range).value_or(number));
}

/// option_text returns the value of an option as a user would type it.
std::string option_text(const Json& value, const std::string& field) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (value.is_number()) return value.dump();
  refuse(field, "must be a number, a string, true or false");
}

std::vector<std::string> read_options(const Json& json) {
  const Fields fields(json, "options");
  std::vector<std::string> options;
  for (const auto& [name, value] : json.items()) {
    options.push_back(name + "=" + option_text(value, fields.field(name)));
  }
  return options;
}

ProgramRules read_program(const Json& json) {
  const Fields fields(json, "program");
  fields.accept_only(
      {"command", "values_by", "value_from", "pattern", "seconds", "megabytes", "retries"});
  ProgramRules rules;
  if (fields.find("command") != nullptr) {
    for (const Json& argument : fields.list("command")) {
      if (!argument.is_string()) {
        refuse(fmt::format("program.command[{}]", rules.command.size()), "must be a string");
      }
      rules.command.push_back(argument.get<std::string>());
    }
    if (rules.command.empty()) refuse("program.command", "names no program");
  }
  fields.read_word("values_by", kWays, rules.values_by);
  fields.read_word("value_from", kSources, rules.value_from);
  fields.read_text("pattern", rules.pattern);
  rules.seconds = fields.number("seconds");
  if (const auto megabytes = fields.whole("megabytes", kMegabytes)) {
    rules.megabytes = static_cast<std::size_t>(*megabytes);
  }
  read_int(fields, "retries", kRetries, rules.retries);
  return rules;
}

StopRules read_stop(const Json& json) {
  const Fields fields(json, "stop");
  fields.accept_only({"seconds", "target", "without_improvement", "expected_gain"});
  StopRules rules;
  rules.seconds = fields.number("seconds");
  rules.target = fields.number("target");
  if (const auto evaluations = fields.whole("without_improvement", kEvaluations)) {
    rules.without_improvement = static_cast<int>(*evaluations);
  }
  rules.expected_gain = fields.number("expected_gain");
  return rules;
}

PruningRules read_pruning(const Json& json) {
  const Fields fields(json, "pruning");
  fields.accept_only({"kind", "first_step", "least_trials", "factor"});
  PruningRules rules;
  static_cast<void>(fields.required("kind"));  // without it, the other fields would have no effect
  fields.read_word("kind", kPruningKinds, rules.kind);
  read_int(fields, "first_step", kFirstSteps, rules.first_step);
  read_int(fields, "least_trials", kEvaluations, rules.least_trials);
  fields.read_number("factor", rules.factor);
  if (rules.kind == PruningKind::median && fields.find("factor") != nullptr) {
    refuse("pruning.factor", "belongs to halving; it has no effect with median");
  }
  return rules;
}

StudyDeclaration read_study(const Json& json) {
  const Fields fields(json, "");
  fields.accept_only({"name", "goal", "budget", "seed", "method", "options", "parameters",
                      "mixtures", "constraints", "outcomes", "program", "stop", "pruning"});
  StudyDeclaration declaration;
  fields.read_text("name", declaration.name);
  fields.read_word("goal", kGoals, declaration.goal);
  read_int(fields, "budget", kEvaluations, declaration.budget);
  declaration.seed = static_cast<std::uint64_t>(fields.whole("seed", kSeeds).value_or(0));
  fields.read_text("method", declaration.method);
  if (const Json* const options = fields.find("options")) {
    declaration.options = read_options(*options);
  }
  declaration.space = space::read_declaration(fields);
  if (const Json* const program = fields.find("program")) {
    declaration.program = read_program(*program);
  }
  if (const Json* const stop = fields.find("stop")) declaration.stop = read_stop(*stop);
  if (const Json* const pruning = fields.find("pruning")) {
    declaration.pruning = read_pruning(*pruning);
  }
  return declaration;
}

// --- writing -------------------------------------------------------------------------------------

std::pair<std::string, std::string> name_and_value(const std::string& option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos) return {option, ""};
  return {option.substr(0, equals), option.substr(equals + 1)};
}

/// option_value returns a number, true or false if that would be written as the same text.
/// Otherwise it returns the text.
Json option_value(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const bool is_scalar = json.is_number() || json.is_boolean();
  return is_scalar && option_text(json, "") == text ? json : Json(text);
}

template <class Value>
void write_if_there(Json& json, const char* name, const std::optional<Value>& value) {
  if (value) json[name] = *value;
}

Json write_program(const ProgramRules& rules) {
  Json json = {{"values_by", to_string(rules.values_by)},
               {"value_from", to_string(rules.value_from)}};
  if (!rules.command.empty()) json["command"] = rules.command;
  if (!rules.pattern.empty()) json["pattern"] = rules.pattern;
  write_if_there(json, "seconds", rules.seconds);
  write_if_there(json, "megabytes", rules.megabytes);
  json["retries"] = rules.retries;
  return json;
}

Json write_stop(const StopRules& rules) {
  Json json = Json::object();
  write_if_there(json, "seconds", rules.seconds);
  write_if_there(json, "target", rules.target);
  write_if_there(json, "without_improvement", rules.without_improvement);
  write_if_there(json, "expected_gain", rules.expected_gain);
  return json;
}

Json write_pruning(const PruningRules& rules) {
  Json json = {{"kind", to_string(rules.kind)},
               {"first_step", rules.first_step},
               {"least_trials", rules.least_trials}};
  if (rules.kind == PruningKind::halving) json["factor"] = rules.factor;
  return json;
}

/// write_study also writes settings that have their default value, so that a stored study stays the
/// same if a default changes.
Json write_study(const StudyDeclaration& declaration) {
  Json json = {{"name", declaration.name},
               {"goal", to_string(declaration.goal)},
               {"budget", declaration.budget},
               {"seed", declaration.seed},
               {"method", declaration.method}};
  for (const std::string& option : declaration.options) {
    const auto [name, value] = name_and_value(option);
    json["options"][name] = option_value(value);
  }
  json.update(space::declaration_to_json(declaration.space));
  json["program"] = write_program(declaration.program);
  if (const Json stop = write_stop(declaration.stop); !stop.empty()) json["stop"] = stop;
  if (declaration.pruning.kind != PruningKind::none) {
    json["pruning"] = write_pruning(declaration.pruning);
  }
  return json;
}

// --- checking ------------------------------------------------------------------------------------

bool is_study_name(std::string_view name) {
  constexpr std::string_view kAccepted =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  constexpr std::size_t kLongestName = 100;
  return !name.empty() && name.size() <= kLongestName && name.front() != '-' &&
         name.front() != '.' && name.find_first_not_of(kAccepted) == std::string_view::npos;
}

void check_name(const std::string& name) {
  if (is_study_name(name)) return;
  const std::string shown = Json(name).dump(-1, ' ', true, Json::error_handler_t::replace);
  refuse("name", fmt::format("{} is not accepted; use 1 to 100 letters, digits, '-', '_' and '.', "
                             "but neither '-' nor '.' at the beginning",
                             shown));
}

void check_positive(const std::optional<double>& number, const std::string& field) {
  if (!number || (*number > 0.0 && std::isfinite(*number))) return;
  refuse(field, fmt::format("{} is not accepted; use a positive number", *number));
}

/// with_option_fields calls a function whose errors name options, and adds the prefix "options." to
/// these names.
template <class Call>
void with_option_fields(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    throw Error(error.code(), "options." + error.field(), error.message());
  }
}

/// check_program_settings checks all settings except the command, which may be given when the
/// program is run.
void check_program_settings(const ProgramRules& rules) {
  const bool has_pattern = rules.value_from == ValueSource::pattern;
  if (has_pattern && rules.pattern.empty()) {
    refuse("program.pattern", "is missing; value_from = \"pattern\" needs one");
  }
  if (!has_pattern && !rules.pattern.empty()) {
    refuse("program.pattern", "is not looked for; it needs value_from = \"pattern\"");
  }
  if (has_pattern) study::check_pattern(rules.pattern);
  check_positive(rules.seconds, "program.seconds");
  if (rules.megabytes) kMegabytes.check(*rules.megabytes, "program.megabytes");
  kRetries.check(rules.retries, "program.retries");
}

void check_stop(const StopRules& rules) {
  check_positive(rules.seconds, "stop.seconds");
  if (rules.target && !std::isfinite(*rules.target)) {
    refuse("stop.target", fmt::format("{} is not accepted; use a number", *rules.target));
  }
  if (rules.without_improvement) {
    kEvaluations.check(*rules.without_improvement, "stop.without_improvement");
  }
  check_positive(rules.expected_gain, "stop.expected_gain");
}

void check_pruning(const PruningRules& rules) {
  kFirstSteps.check(rules.first_step, "pruning.first_step");
  kEvaluations.check(rules.least_trials, "pruning.least_trials");
  if (rules.kind == PruningKind::halving && rules.first_step < 1) {
    refuse("pruning.first_step", "0 is not accepted with halving; use an integer >= 1");
  }
  if (!(rules.factor >= 1.1 && std::isfinite(rules.factor))) {
    refuse("pruning.factor", fmt::format("{} is not accepted; use a number >= 1.1", rules.factor));
  }
}

}  // namespace

std::string_view to_string(ValueSource source) noexcept {
  switch (source) {
    case ValueSource::last_line: return "last_line";
    case ValueSource::pattern: return "pattern";
    case ValueSource::json: return "json";
  }
  return "unknown";
}

std::string_view to_string(ValuesBy way) noexcept {
  switch (way) {
    case ValuesBy::arguments: return "arguments";
    case ValuesBy::environment: return "environment";
    case ValuesBy::file: return "file";
  }
  return "unknown";
}

std::string_view to_string(PruningKind kind) noexcept {
  switch (kind) {
    case PruningKind::none: return "none";
    case PruningKind::median: return "median";
    case PruningKind::halving: return "halving";
  }
  return "unknown";
}

std::vector<Objective> StudyDeclaration::objectives() const { return {{.goal = goal}}; }

Quantities StudyDeclaration::quantities() const {
  return {.objectives = objectives().size(), .outcomes = space.outcomes.size()};
}

StudyDeclaration study_from_json(std::string_view text) {
  StudyDeclaration declaration = read_study(text::parse_json(text, "study"));
  check(declaration);
  return declaration;
}

namespace {

bool is_utf8(const Json& json) {
  try {
    static_cast<void>(json.dump());
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

/// field_not_utf8 returns the first field with a text that is not UTF-8, such as "program.command".
std::string field_not_utf8(const Json& json) {
  for (const auto& [name, value] : json.items()) {
    if (is_utf8(value)) continue;
    const std::string inner = value.is_object() ? field_not_utf8(value) : "";
    return inner.empty() ? name : fmt::format("{}.{}", name, inner);
  }
  return "";
}

}  // namespace

std::string to_json(const StudyDeclaration& declaration) {
  const Json json = write_study(declaration);
  if (is_utf8(json)) return json.dump(2);
  const std::string field = field_not_utf8(json);
  refuse(field.empty() ? "study" : field, "has a text that is not UTF-8");
}

namespace {

/// Columns of `oscbo ask` and `oscbo best` that a table of trials does not have.
constexpr std::array<std::string_view, 3> kOtherColumns = {"token", "by", "acceptable"};

/// check_columns refuses parameters and outcomes that have the name of another column in a table of
/// trials.
void check_columns(const SpaceDeclaration& space) {
  const auto is_among = [](const auto& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto check_column = [&](const std::string& name, const std::string& field) {
    if (is_among(kFirstTrialColumns, name) || is_among(kLastTrialColumns, name) ||
        is_among(kOtherColumns, name)) {
      refuse(field + name, "is the name of another column in tables of trials; use another name");
    }
  };
  for (const Parameter& parameter : space.parameters) {
    check_column(parameter.name, "parameters.");
    if (parameter.name.find('=') != std::string::npos) {
      refuse("parameters." + parameter.name, "has a =, which ends a name in name=value");
    }
  }
  for (const Outcome& outcome : space.outcomes) {
    check_column(outcome.name, "outcomes.");
    const bool is_parameter =
        std::any_of(space.parameters.begin(), space.parameters.end(),
                    [&](const Parameter& parameter) { return parameter.name == outcome.name; });
    if (is_parameter) refuse("outcomes." + outcome.name, "is the name of a parameter, too");
  }
}

}  // namespace

void check_program(const ProgramRules& rules, const Space& space) {
  check_program_settings(rules);
  study::check_command(rules, space);
  if (!space.declaration().outcomes.empty() && rules.value_from != ValueSource::json) {
    refuse("program.value_from", fmt::format("{} gives no outcomes, and there are some; use json",
                                             to_string(rules.value_from)));
  }
}

void check(const StudyDeclaration& declaration) {
  check_name(declaration.name);
  kEvaluations.check(declaration.budget, "budget");
  kSeeds.check(declaration.seed, "seed");
  static_cast<void>(config_of(declaration));
  const Space space(declaration.space);
  if (declaration.program.command.empty()) {
    check_program_settings(declaration.program);
  } else {
    check_program(declaration.program, space);
  }
  check_stop(declaration.stop);
  check_pruning(declaration.pruning);
  check_columns(declaration.space);
  static_cast<void>(to_json(declaration));  // a study that cannot be written cannot be stored
}

Config config_of(const StudyDeclaration& declaration) {
  Config config = method_config(declaration.method);
  std::set<std::string> names;
  for (const std::string& option : declaration.options) {
    const auto [name, value] = name_and_value(option);
    if (name.empty()) refuse("options", fmt::format("'{}' is not name=value", option));
    if (!names.insert(name).second) refuse("options." + name, "is set twice");
    if (name == "obs.noise_sd") {
      refuse("options." + name, "is for `oscbo bench`; values are used as they are told");
    }
    with_option_fields([&] { set_option(config, name, value); });
  }
  if (!names.contains("budget")) {
    config.budget = std::max(1, declaration.budget - config.initial_points);
  }
  with_option_fields([&] { validate(config); });
  return config;
}

Config loaded_config_of(const StudyDeclaration& declaration) {
  Config config = config_of(declaration);
  load_weights(config);
  return config;
}

StudyDeclaration with_weights(StudyDeclaration declaration) {
  const Config config = loaded_config_of(declaration);
  for (const std::string name : {"tabicl.weights", "tabicl.sha256"}) {
    const std::string value = get_option(config, name);
    std::erase_if(declaration.options,
                  [&](const std::string& option) { return name_and_value(option).first == name; });
    if (!value.empty()) declaration.options.push_back(fmt::format("{}={}", name, value));
  }
  return declaration;
}

}  // namespace oscbo
