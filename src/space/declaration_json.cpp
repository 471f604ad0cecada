#include "space/declaration_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/refusal.hpp"
#include "text/fields.hpp"

namespace oscbo::space {
namespace {

using base::refuse;
using text::Fields;
using text::Json;

constexpr std::array kKinds = {ParameterKind::real,    ParameterKind::integer,
                               ParameterKind::ordinal, ParameterKind::categorical,
                               ParameterKind::boolean, ParameterKind::fixed};

ParameterKind read_kind(const Fields& fields) {
  std::array<std::string_view, kKinds.size()> names;
  std::transform(kKinds.begin(), kKinds.end(), names.begin(),
                 [](ParameterKind kind) { return to_string(kind); });
  const std::string accepted = fmt::format("use {}", fmt::join(names, " | "));
  const Json* const type = fields.find("type");
  if (type == nullptr) refuse(fields.field("type"), "is missing; " + accepted);
  for (const ParameterKind kind : kKinds) {
    if (type->is_string() && type->get<std::string>() == to_string(kind)) return kind;
  }
  refuse(fields.field("type"), fmt::format("{} is not accepted; {}", type->dump(), accepted));
}

/// Returns a value as `Space::text` would show it.
std::string value_text(const Json& value, const std::string& field) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number()) return fmt::format("{}", value.get<double>());
  refuse(field, "a value must be a string, a number, true or false");
}

/// If all values are numbers and the kind has levels, they become levels. Otherwise they become
/// texts.
void read_values(const Json& values, const std::string& field, Parameter& parameter) {
  const bool are_numbers = std::all_of(values.begin(), values.end(),
                                       [](const Json& value) { return value.is_number(); });
  const bool has_levels =
      parameter.kind == ParameterKind::ordinal || parameter.kind == ParameterKind::fixed;
  for (const Json& value : values) {
    if (are_numbers && has_levels) {
      parameter.levels.push_back(value.get<double>());
    } else {
      parameter.values.push_back(value_text(value, field));
    }
  }
}

Condition read_condition(const Json& json, const std::string& field) {
  if (!json.is_object() || json.size() != 1) {
    refuse(field, R"(must name one parameter and its values, as in {"solvent": ["water"]})");
  }
  Condition condition{.parameter = json.begin().key(), .values = {}};
  const Json& values = json.begin().value();
  if (!values.is_array()) {
    condition.values.push_back(value_text(values, field));
    return condition;
  }
  for (const Json& value : values) condition.values.push_back(value_text(value, field));
  return condition;
}

void read_range(const Fields& fields, Parameter& parameter) {
  fields.accept_only({"type", "lower", "upper", "step", "log", "when"});
  for (const char* const bound : {"lower", "upper"}) static_cast<void>(fields.required(bound));
  fields.read_number("lower", parameter.lower);
  fields.read_number("upper", parameter.upper);
  fields.read_number("step", parameter.step);
  if (fields.find("step") != nullptr && parameter.step == 0.0) {
    refuse(fields.field("step"), "0 is not accepted; use a positive number");
  }
  fields.read_flag("log", parameter.log);
}

Parameter read_parameter(const std::string& name, const Json& json) {
  const Fields fields(json, "parameters." + name);
  Parameter parameter{.name = name, .kind = read_kind(fields)};
  switch (parameter.kind) {
    case ParameterKind::real:
    case ParameterKind::integer: read_range(fields, parameter); break;
    case ParameterKind::ordinal:
    case ParameterKind::categorical:
      fields.accept_only({"type", "values", "when"});
      read_values(fields.list("values"), fields.field("values"), parameter);
      break;
    case ParameterKind::boolean: fields.accept_only({"type", "when"}); break;
    case ParameterKind::fixed:
      fields.accept_only({"type", "value", "when"});
      read_values(Json::array({fields.required("value")}), fields.field("value"), parameter);
      break;
  }
  if (const Json* const when = fields.find("when")) {
    parameter.when = read_condition(*when, fields.field("when"));
  }
  return parameter;
}

Mixture read_mixture(const Json& json, const std::string& path) {
  const Fields fields(json, path);
  fields.accept_only({"parameters", "sum"});
  Mixture mixture;
  for (const Json& name : fields.list("parameters")) {
    if (!name.is_string()) refuse(fields.field("parameters"), "must be a list of names");
    mixture.parameters.push_back(name.get<std::string>());
  }
  fields.read_number("sum", mixture.sum);
  return mixture;
}

Outcome read_outcome(const std::string& name, const Json& json) {
  const Fields fields(json, "outcomes." + name);
  fields.accept_only({"lower", "upper"});
  Outcome outcome{.name = name};
  fields.read_number("lower", outcome.lower);
  fields.read_number("upper", outcome.upper);
  return outcome;
}

LinearConstraint read_constraint(const Json& json, const std::string& field) {
  if (!json.is_string()) refuse(field, "must be a string like \"2 a + b <= 3\"");
  try {
    return parse_constraint(json.get<std::string>());
  } catch (const Error& error) {
    refuse(field, error.message());
  }
}

/// Returns the number for JSON. An integer is written without a decimal point.
Json number(double value) {
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  if (value != std::floor(value) || std::abs(value) > kLargestExact) return value;
  return static_cast<std::int64_t>(value);
}

Json write_parameter(const Parameter& parameter) {
  Json json = {{"type", to_string(parameter.kind)}};
  if (parameter.kind == ParameterKind::real || parameter.kind == ParameterKind::integer) {
    json["lower"] = number(parameter.lower);
    json["upper"] = number(parameter.upper);
    if (parameter.step > 0.0) json["step"] = number(parameter.step);
    if (parameter.log) json["log"] = true;
  } else if (parameter.kind != ParameterKind::boolean) {
    Json values = Json::array();
    for (const double level : parameter.levels) values.push_back(number(level));
    for (const std::string& value : parameter.values) values.push_back(value);
    if (parameter.kind == ParameterKind::fixed) {
      json["value"] = values.empty() ? Json() : values.front();
    } else {
      json["values"] = std::move(values);
    }
  }
  if (parameter.when) json["when"] = {{parameter.when->parameter, parameter.when->values}};
  return json;
}

Json write_outcome(const Outcome& outcome) {
  Json json = Json::object();
  if (std::isfinite(outcome.lower)) json["lower"] = number(outcome.lower);
  if (std::isfinite(outcome.upper)) json["upper"] = number(outcome.upper);
  return json;
}

}  // namespace

SpaceDeclaration read_declaration(std::string_view text) {
  const Json json = text::parse_json(text, "space");
  const Fields fields(json, "");
  fields.accept_only({"parameters", "mixtures", "constraints", "outcomes"});
  return read_declaration(fields);
}

SpaceDeclaration read_declaration(const Fields& fields) {
  SpaceDeclaration declaration;
  const Json& parameters = fields.required("parameters");
  if (!parameters.is_object()) refuse("parameters", "must be an object that maps names to fields");
  for (const auto& [name, value] : parameters.items()) {
    declaration.parameters.push_back(read_parameter(name, value));
  }
  if (fields.find("mixtures") != nullptr) {
    for (const Json& mixture : fields.list("mixtures")) {
      declaration.mixtures.push_back(
          read_mixture(mixture, fmt::format("mixtures[{}]", declaration.mixtures.size())));
    }
  }
  if (fields.find("constraints") != nullptr) {
    for (const Json& constraint : fields.list("constraints")) {
      declaration.constraints.push_back(read_constraint(
          constraint, fmt::format("constraints[{}]", declaration.constraints.size())));
    }
  }
  if (const Json* const outcomes = fields.find("outcomes")) {
    if (!outcomes->is_object()) refuse("outcomes", "must be an object that maps names to limits");
    for (const auto& [name, value] : outcomes->items()) {
      declaration.outcomes.push_back(read_outcome(name, value));
    }
  }
  return declaration;
}

Json declaration_to_json(const SpaceDeclaration& declaration) {
  Json json = {{"parameters", Json::object()}};
  for (const Parameter& parameter : declaration.parameters) {
    json["parameters"][parameter.name] = write_parameter(parameter);
  }
  for (const Mixture& mixture : declaration.mixtures) {
    json["mixtures"].push_back({{"parameters", mixture.parameters}, {"sum", number(mixture.sum)}});
  }
  for (const LinearConstraint& constraint : declaration.constraints) {
    json["constraints"].push_back(to_string(constraint));
  }
  for (const Outcome& outcome : declaration.outcomes) {
    json["outcomes"][outcome.name] = write_outcome(outcome);
  }
  return json;
}

}  // namespace oscbo::space
