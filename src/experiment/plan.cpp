#include "experiment/plan.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiment/variant.hpp"
#include "oscbo/version.hpp"

namespace oscbo::experiment {
namespace {

constexpr int kFormat = 1;

void require_positive(int value, const char* field) {
  if (value >= 1) return;
  throw Error(ErrorCode::invalid_value, field,
              fmt::format("{} is not accepted; it must be at least 1", value));
}

void require_distinct_names(const std::vector<std::string>& names, const char* field) {
  if (names.empty()) throw Error(ErrorCode::invalid_value, field, "at least one name is needed");
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) == name) continue;
    throw Error(ErrorCode::invalid_value, field, fmt::format("'{}' is named twice", *name));
  }
}

/// A file of weights may move: its checksum is recorded, not its path.
OptionValues option_values(const RunConfig& config) {
  OptionValues values;
  for (const OptionInfo& option : run_options(config)) values[option.name] = option.default_value;
  values.erase("tabicl.weights");
  return values;
}

void require_equal(std::string_view what, std::string_view there, std::string_view now,
                   const std::filesystem::path& path) {
  if (there == now) return;
  throw Error(ErrorCode::conflict, path.string(),
              fmt::format("{} was '{}' for the runs there and is '{}' now; choose another --out",
                          what, there, now));
}

void require_same_options(const std::string& method, const OptionValues& there,
                          const OptionValues& now, const std::filesystem::path& path) {
  for (const auto& [name, value] : now) {
    const auto recorded = there.find(name);
    const std::string_view before =
        recorded == there.end() ? std::string_view{} : std::string_view(recorded->second);
    require_equal(fmt::format("{} of {}", name, method), before, value, path);
  }
}

/// values_now returns the options of an earlier method with the settings of `plan`. `asked` is the
/// record of `plan`. A method outside the plan may not accept a setting. The setting still differs.
OptionValues values_now(const std::string& method, const ExperimentPlan& plan,
                        const PlanRecord& asked) {
  const auto found = asked.options.find(method);
  if (found != asked.options.end()) return found->second;
  OptionValues values = option_values(compose_config(method, plan.steps, plan.settings));
  values.erase("tabicl.sha256");  // the weights are not loaded
  return values;
}

/// One method under two names would be ranked and counted twice.
void require_new_configuration(const std::string& method, const OptionValues& values,
                               const std::map<std::string, OptionValues>& others) {
  for (const auto& [other, other_values] : others) {
    if (values != other_values || parse_variant(method).method != parse_variant(other).method) {
      continue;
    }
    throw Error(ErrorCode::invalid_value, "--methods",
                fmt::format("'{}' and '{}' are the same method with the same options; keep one",
                            other, method));
  }
}

void require_distinct_configurations(const ExperimentPlan& plan) {
  std::map<std::string, OptionValues> earlier;
  for (const std::string& method : plan.methods) {
    const OptionValues values = option_values(effective_config(plan, method));
    require_new_configuration(method, values, earlier);
    earlier[method] = values;
  }
}

void add_missing(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
}

}  // namespace

RunConfig effective_config(const ExperimentPlan& plan, const std::string& method) {
  return run_config(method, plan.steps, plan.settings);
}

Tasks check_plan(const ExperimentPlan& plan) {
  require_distinct_names(plan.tasks, "--tasks");
  require_distinct_names(plan.methods, "--methods");
  require_positive(plan.seeds, "--seeds");
  require_positive(plan.steps, "--steps");
  require_positive(plan.jobs, "--jobs");
  if (plan.out.empty()) throw Error(ErrorCode::invalid_value, "--out", "a directory is needed");
  require_distinct_configurations(plan);
  Tasks tasks;
  for (const std::string& task : plan.tasks) {
    const Problem& problem = tasks.emplace(task, make_problem(task, plan.data)).first->second;
    for (const std::string& method : plan.methods) {
      // The constructor refuses invalid combinations of settings.
      const Optimizer optimizer(problem.space, effective_config(plan, method).optimizer);
    }
  }
  return tasks;
}

PlanRecord make_record(const ExperimentPlan& plan) {
  PlanRecord record{.version = std::string(version()),
                    .build = std::string(build_description()),
                    .steps = plan.steps,
                    .seeds = plan.seeds,
                    .tasks = plan.tasks,
                    .methods = plan.methods,
                    .options = {},
                    .sources = {}};
  for (const std::string& method : plan.methods) {
    record.options[method] = option_values(effective_config(plan, method));
  }
  return record;
}

PlanRecord extend_record(const PlanRecord& record, const ExperimentPlan& plan,
                         const std::filesystem::path& path) {
  const PlanRecord asked = make_record(plan);
  require_equal("the version of oscbo", record.version, asked.version, path);
  require_equal("the build of oscbo", record.build, asked.build, path);
  require_equal("--steps", std::to_string(record.steps), std::to_string(asked.steps), path);
  for (const auto& [method, values] : record.options) {
    require_same_options(method, values, values_now(method, plan, asked), path);
  }
  for (const auto& [method, values] : asked.options) {
    if (!record.options.contains(method)) {
      require_new_configuration(method, values, record.options);
    }
  }

  PlanRecord extended = record;
  extended.seeds = std::max(record.seeds, asked.seeds);
  add_missing(extended.tasks, asked.tasks);
  add_missing(extended.methods, asked.methods);
  extended.options.insert(asked.options.begin(), asked.options.end());
  return extended;
}

void add_sources(PlanRecord& record, const Tasks& tasks, const std::filesystem::path& path) {
  for (const auto& [name, problem] : tasks) {
    if (problem.source.empty()) continue;
    const auto [recorded, is_new] = record.sources.try_emplace(name, problem.source);
    require_equal("the source of " + name, recorded->second, problem.source, path);
  }
}

std::string to_json(const PlanRecord& record) {
  const nlohmann::ordered_json json{
      {"format", kFormat},         {"version", record.version}, {"build", record.build},
      {"steps", record.steps},     {"seeds", record.seeds},     {"tasks", record.tasks},
      {"methods", record.methods}, {"options", record.options}, {"sources", record.sources}};
  return json.dump(2) + '\n';
}

PlanRecord parse_record(const std::string& text, const std::filesystem::path& path) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    if (json.at("format") != kFormat) {
      throw Error(ErrorCode::conflict, path.string(), "was written by another version of oscbo");
    }
    PlanRecord record;
    json.at("version").get_to(record.version);
    json.at("build").get_to(record.build);
    json.at("steps").get_to(record.steps);
    json.at("seeds").get_to(record.seeds);
    json.at("tasks").get_to(record.tasks);
    json.at("methods").get_to(record.methods);
    json.at("options").get_to(record.options);
    record.sources = json.value("sources", record.sources);  // absent in earlier plans
    return record;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::conflict, path.string(),
                fmt::format("is not a plan that oscbo wrote: {}", error.what()));
  }
}

}  // namespace oscbo::experiment
