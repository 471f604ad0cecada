#include "space/declaration_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "space/refusal.hpp"

namespace oscbo::space {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kKinds = {ParameterKind::real,    ParameterKind::integer,
                               ParameterKind::ordinal, ParameterKind::categorical,
                               ParameterKind::boolean, ParameterKind::fixed};

/// The fields of one JSON object, each of which must be asked for.
class Fields {
 public:
  Fields(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object.is_object()) refuse(path_, "must be an object with named fields");
  }

  [[nodiscard]] std::string field(const std::string& name) const {
    return path_.empty() ? name : path_ + "." + name;
  }

  [[nodiscard]] const Json* find(const std::string& name) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.push_back(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  [[nodiscard]] const Json& required(const std::string& name) {
    const Json* const value = find(name);
    if (value == nullptr) refuse(field(name), "is missing");
    return *value;
  }

  void read_number(const std::string& name, double& number) {
    const Json* const value = find(name);
    if (value == nullptr) return;
    if (!value->is_number()) refuse(field(name), "must be a number");
    number = value->get<double>();
  }

  void read_flag(const std::string& name, bool& flag) {
    const Json* const value = find(name);
    if (value == nullptr) return;
    if (!value->is_boolean()) refuse(field(name), "must be true or false");
    flag = value->get<bool>();
  }

  [[nodiscard]] std::string text(const std::string& name) {
    const Json& value = required(name);
    if (!value.is_string()) refuse(field(name), "must be a text");
    return value.get<std::string>();
  }

  [[nodiscard]] const Json& list(const Json& value, const std::string& name) const {
    if (!value.is_array()) refuse(field(name), "must be a list");
    return value;
  }

  /// Refuses fields that nobody asked for.
  void refuse_others() const {
    for (const auto& [name, value] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
      refuse(field(name), fmt::format("is not a field; known are {}", fmt::join(known_, ", ")));
    }
  }

 private:
  const Json& object_;
  std::string path_;
  std::vector<std::string> known_;
};

ParameterKind kind_of(const std::string& text, const std::string& field) {
  for (const ParameterKind kind : kKinds) {
    if (to_string(kind) == text) return kind;
  }
  std::array<std::string_view, kKinds.size()> names;
  std::transform(kKinds.begin(), kKinds.end(), names.begin(),
                 [](ParameterKind kind) { return to_string(kind); });
  refuse(field, fmt::format("'{}' is not accepted; use {}", text, fmt::join(names, " | ")));
}

/// A value as `Space::text` would show it.
std::string value_text(const Json& value, const std::string& field) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number()) return fmt::format("{}", value.get<double>());
  refuse(field, "a value must be a text, a number, true or false");
}

/// Numbers are levels where the kind has any; everything else goes by its text.
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

Parameter read_parameter(const std::string& name, const Json& json) {
  Fields fields(json, "parameters." + name);
  Parameter parameter{.name = name};
  parameter.kind = kind_of(fields.text("type"), fields.field("type"));
  const bool has_range =
      parameter.kind == ParameterKind::real || parameter.kind == ParameterKind::integer;
  if (has_range) {
    for (const char* const bound : {"lower", "upper"}) {
      double& number = bound == std::string_view("lower") ? parameter.lower : parameter.upper;
      static_cast<void>(fields.required(bound));
      fields.read_number(bound, number);
    }
    fields.read_number("step", parameter.step);
    fields.read_flag("log", parameter.log);
  } else if (parameter.kind == ParameterKind::fixed) {
    read_values(Json::array({fields.required("value")}), fields.field("value"), parameter);
  } else if (parameter.kind != ParameterKind::boolean) {
    read_values(fields.list(fields.required("values"), "values"), fields.field("values"),
                parameter);
  }
  if (const Json* const when = fields.find("when")) {
    parameter.when = read_condition(*when, fields.field("when"));
  }
  fields.refuse_others();
  return parameter;
}

Mixture read_mixture(const Json& json, const std::string& path) {
  Fields fields(json, path);
  Mixture mixture;
  for (const Json& name : fields.list(fields.required("parameters"), "parameters")) {
    if (!name.is_string()) refuse(fields.field("parameters"), "must be names");
    mixture.parameters.push_back(name.get<std::string>());
  }
  fields.read_number("sum", mixture.sum);
  fields.refuse_others();
  return mixture;
}

Outcome read_outcome(const std::string& name, const Json& json) {
  Fields fields(json, "outcomes." + name);
  Outcome outcome{.name = name};
  fields.read_number("lower", outcome.lower);
  fields.read_number("upper", outcome.upper);
  fields.refuse_others();
  return outcome;
}

LinearConstraint read_constraint(const Json& json, const std::string& field) {
  if (!json.is_string()) refuse(field, "must be a text like \"2 a + b <= 3\"");
  try {
    return parse_constraint(json.get<std::string>());
  } catch (const Error& error) {
    refuse(field, error.what());
  }
}

Json write_parameter(const Parameter& parameter) {
  Json json = {{"type", to_string(parameter.kind)}};
  if (parameter.kind == ParameterKind::real || parameter.kind == ParameterKind::integer) {
    json["lower"] = parameter.lower;
    json["upper"] = parameter.upper;
    if (parameter.step > 0.0) json["step"] = parameter.step;
    if (parameter.log) json["log"] = true;
  } else if (parameter.kind != ParameterKind::boolean) {
    Json values = Json::array();
    for (const double level : parameter.levels) values.push_back(level);
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
  if (std::isfinite(outcome.lower)) json["lower"] = outcome.lower;
  if (std::isfinite(outcome.upper)) json["upper"] = outcome.upper;
  return json;
}

}  // namespace

SpaceDeclaration read_declaration(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) refuse("space", "is not JSON");
  Fields fields(json, "");
  SpaceDeclaration declaration;
  const Json& parameters = fields.required("parameters");
  if (!parameters.is_object()) refuse("parameters", "must be an object: name to fields");
  for (const auto& [name, value] : parameters.items()) {
    declaration.parameters.push_back(read_parameter(name, value));
  }
  if (const Json* const mixtures = fields.find("mixtures")) {
    for (const Json& mixture : fields.list(*mixtures, "mixtures")) {
      declaration.mixtures.push_back(
          read_mixture(mixture, fmt::format("mixtures[{}]", declaration.mixtures.size())));
    }
  }
  if (const Json* const constraints = fields.find("constraints")) {
    for (const Json& constraint : fields.list(*constraints, "constraints")) {
      declaration.constraints.push_back(read_constraint(
          constraint, fmt::format("constraints[{}]", declaration.constraints.size())));
    }
  }
  if (const Json* const outcomes = fields.find("outcomes")) {
    if (!outcomes->is_object()) refuse("outcomes", "must be an object: name to limits");
    for (const auto& [name, value] : outcomes->items()) {
      declaration.outcomes.push_back(read_outcome(name, value));
    }
  }
  fields.refuse_others();
  return declaration;
}

std::string write_declaration(const SpaceDeclaration& declaration) {
  Json json = {{"parameters", Json::object()}};
  for (const Parameter& parameter : declaration.parameters) {
    json["parameters"][parameter.name] = write_parameter(parameter);
  }
  for (const Mixture& mixture : declaration.mixtures) {
    json["mixtures"].push_back({{"parameters", mixture.parameters}, {"sum", mixture.sum}});
  }
  for (const LinearConstraint& constraint : declaration.constraints) {
    json["constraints"].push_back(to_string(constraint));
  }
  for (const Outcome& outcome : declaration.outcomes) {
    json["outcomes"][outcome.name] = write_outcome(outcome);
  }
  return json.dump(2);
}

}  // namespace oscbo::space
