#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "oscbo/study_files.hpp"
#include "storage/optuna_reader.hpp"
#include "text/strict_json.hpp"

namespace oscbo {
namespace {

using storage::OptunaParameter;
using storage::OptunaStudy;
using text::Json;

[[noreturn]] void refuse_parameter(const std::string& parameter, const std::string& message) {
  throw Error(ErrorCode::invalid_value, "parameters." + parameter, message);
}

/// choice_text returns a choice as its user would write it.
std::string choice_text(const Json& choice) {
  return choice.is_string() ? choice.get<std::string>() : choice.dump();
}

double number_of(const Json& attributes, const char* name, const std::string& parameter) {
  const auto found = attributes.find(name);
  if (found == attributes.end() || !found->is_number()) {
    refuse_parameter(parameter, fmt::format("its distribution has no number '{}'", name));
  }
  return found->get<double>();
}

/// parameter_of returns the parameter that a distribution describes. Earlier versions of Optuna put
/// into the name of the distribution what later versions put into its attributes.
Parameter parameter_of(const std::string& name, const std::string& distribution) {
  const Json json = text::parse_json(distribution, "parameters." + name);
  if (!json.is_object()) refuse_parameter(name, "its distribution is not an object");
  const std::string kind = json.value("name", "");
  const Json attributes = json.value("attributes", Json::object());
  Parameter parameter{.name = name};
  if (kind == "CategoricalDistribution") {
    parameter.kind = ParameterKind::categorical;
    for (const Json& choice : attributes.value("choices", Json::array())) {
      parameter.values.push_back(choice_text(choice));
    }
    if (parameter.values.size() == 1) parameter.kind = ParameterKind::fixed;
    return parameter;
  }
  const bool is_integer = kind.starts_with("Int");
  const bool is_float = kind == "FloatDistribution" || kind == "UniformDistribution" ||
                        kind == "LogUniformDistribution" || kind == "DiscreteUniformDistribution";
  if (!is_integer && !is_float) refuse_parameter(name, fmt::format("'{}' is not known", kind));
  parameter.kind = is_integer ? ParameterKind::integer : ParameterKind::real;
  parameter.lower = number_of(attributes, "low", name);
  parameter.upper = number_of(attributes, "high", name);
  parameter.log =
      kind.find("Log") != std::string::npos || attributes.value("log", Json(false)) == true;
  const char* const step = kind == "DiscreteUniformDistribution" ? "q" : "step";
  if (!parameter.log && attributes.contains(step) && !attributes[step].is_null()) {
    parameter.step = number_of(attributes, step, name);
  }
  if (is_integer && parameter.step == 1.0) parameter.step = 0.0;
  return parameter;
}

/// widen extends the bounds of a parameter. Bounds may differ between trials, and the widest ones
/// hold for all of them.
void widen(Parameter& parameter, const Parameter& other) {
  if (parameter.kind != other.kind || parameter.values != other.values ||
      parameter.log != other.log || parameter.step != other.step) {
    refuse_parameter(parameter.name, "has different kinds of distributions");
  }
  parameter.lower = std::min(parameter.lower, other.lower);
  parameter.upper = std::max(parameter.upper, other.upper);
}

std::vector<Parameter> parameters_of(const OptunaStudy& study) {
  std::vector<Parameter> parameters;
  for (const OptunaParameter& row : study.parameters) {
    const Parameter read = parameter_of(row.name, row.distribution);
    const auto known = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& each) { return each.name == row.name; });
    if (known == parameters.end()) {
      parameters.push_back(read);
    } else {
      widen(*known, read);
    }
  }
  for (Parameter& parameter : parameters) {
    const bool has_range =
        parameter.kind == ParameterKind::real || parameter.kind == ParameterKind::integer;
    if (!has_range || parameter.lower < parameter.upper) continue;
    parameter = {.name = parameter.name, .kind = ParameterKind::fixed, .levels = {parameter.lower}};
  }
  return parameters;
}

using Points = std::map<std::int64_t, std::vector<double>>;  // by trial

/// points_of returns the points of the trials, with NaN for parameters that a trial does not have.
Points points_of(const OptunaStudy& study, const std::vector<Parameter>& parameters) {
  Points points;
  for (const OptunaParameter& row : study.parameters) {
    std::vector<double>& x = points[row.trial];
    x.resize(parameters.size(), std::nan(""));
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      if (parameters[k].name == row.name) x[k] = row.value;
    }
  }
  return points;
}

/// categories_with returns the categories of parameter c whose trials have parameter k. It returns
/// nullopt if the category does not decide whether a trial has parameter k.
std::optional<std::vector<std::string>> categories_with(const Points& points,
                                                        const Parameter& category, std::size_t c,
                                                        std::size_t k) {
  std::set<std::size_t> with;
  std::set<std::size_t> without;
  for (const auto& [trial, x] : points) {
    const bool is_there = !std::isnan(x[k]);
    if (std::isnan(x[c])) {
      if (is_there) return std::nullopt;
      continue;
    }
    (is_there ? with : without).insert(static_cast<std::size_t>(x[c]));
  }
  std::vector<std::string> names;
  for (const std::size_t value : with) {
    if (without.contains(value) || value >= category.values.size()) return std::nullopt;
    names.push_back(category.values[value]);
  }
  return names;
}

/// find_conditions finds out from the trials when each parameter is active, because Optuna does not
/// store it.
void find_conditions(std::vector<Parameter>& parameters, const Points& points) {
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto missing = std::count_if(points.begin(), points.end(), [&](const auto& point) {
      return std::isnan(point.second[k]);
    });
    if (missing == 0) continue;
    for (std::size_t c = 0; c < parameters.size() && !parameters[k].when; ++c) {
      if (c == k || parameters[c].kind != ParameterKind::categorical) continue;
      if (const auto values = categories_with(points, parameters[c], c, k)) {
        parameters[k].when = Condition{.parameter = parameters[c].name, .values = *values};
      }
    }
    if (!parameters[k].when) {
      refuse_parameter(parameters[k].name,
                       fmt::format("is missing in {} of {}, and no category says when", missing,
                                   base::counted(points.size(), "trial")));
    }
  }
}

}  // namespace

ForeignStudy read_optuna(const std::filesystem::path& file, const std::string& name) {
  const OptunaStudy study = storage::read_optuna_study(file, name);
  if (study.directions.size() != 1) {
    throw Error(ErrorCode::invalid_value, "study",
                fmt::format("'{}' has {}; one is accepted", study.name,
                            base::counted(study.directions.size(), "objective")));
  }
  ForeignStudy result;
  result.declaration.name = study.name;
  result.declaration.goal =
      study.directions.front() == "MAXIMIZE" ? Goal::maximize : Goal::minimize;
  std::vector<Parameter>& parameters = result.declaration.space.parameters;
  parameters = parameters_of(study);
  const Points points = points_of(study, parameters);
  find_conditions(parameters, points);
  for (const auto& [trial, value] : study.values) {
    const auto point = points.find(trial);
    if (point == points.end()) continue;
    result.observations.push_back({.x = point->second, .measurement = {.y = value}});
  }
  result.left_out = static_cast<std::size_t>(study.trials) - result.observations.size();
  if (result.observations.empty()) {
    throw Error(ErrorCode::invalid_value, "study",
                fmt::format("'{}' has no complete trial with parameters", study.name));
  }
  const Space space(result.declaration.space);
  for (const Study::Observation& observation : result.observations) space.check(observation.x);
  return result;
}

}  // namespace oscbo
