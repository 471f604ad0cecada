// Checks the plan of an experiment, and records the contents of a result directory in its
// plan.json. The rows of a run are determined by the version and build of the program, the steps,
// the options of the method and the source of the task (a table, or the physics and reference value
// of the lander). These must agree between all invocations in one directory. Tasks, methods and
// seeds may be added.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "oscbo/experiment.hpp"

namespace oscbo::experiment {

/// The problems of an experiment by name. All runs share them.
using Tasks = std::map<std::string, Problem>;

/// check_plan returns the tasks of `plan`. Throws Error (invalid_value, unknown_name, io) if a
/// name, number, setting or table is not accepted, or if two names mean the same method. It writes
/// nothing.
Tasks check_plan(const ExperimentPlan& plan);

/// compose_config returns the configuration of a method or variant with its budget and "name=value"
/// settings. It does not check for contradictory values; `validate` does.
[[nodiscard]] RunConfig compose_config(const std::string& method, int steps,
                                       const std::vector<std::string>& settings);

/// effective_config returns the configuration that `plan` uses for `method`.
[[nodiscard]] RunConfig effective_config(const ExperimentPlan& plan, const std::string& method);

/// The values of all options of a method, as the user would type them.
using OptionValues = std::map<std::string, std::string>;

/// The contents of plan.json.
struct PlanRecord {
  std::string version;
  std::string build;
  int steps = 0;
  int seeds = 0;
  std::vector<std::string> tasks;
  std::vector<std::string> methods;
  std::map<std::string, OptionValues> options;  // by method
  std::map<std::string, std::string> sources;   // by task, for tasks that are not formulas

  bool operator==(const PlanRecord&) const = default;
};

/// make_record returns the record of a directory that contains only the runs of `plan`.
[[nodiscard]] PlanRecord make_record(const ExperimentPlan& plan);

/// extend_record returns `record` with the tasks, methods and seeds of `plan` added. Throws Error
/// (conflict), naming the difference and `path`, if the rows would not be comparable. Throws Error
/// (invalid_value) if a method is already recorded under another name.
[[nodiscard]] PlanRecord extend_record(const PlanRecord& record, const ExperimentPlan& plan,
                                       const std::filesystem::path& path);

/// add_sources records the sources of `tasks`. Throws Error (conflict), naming the task and `path`,
/// if `record` has another source for a task. If an earlier version recorded a task without a
/// source, the source is added.
void add_sources(PlanRecord& record, const Tasks& tasks, const std::filesystem::path& path);

[[nodiscard]] std::string to_json(const PlanRecord& record);

/// parse_record throws Error (conflict), naming `path`, if the text is not a record.
[[nodiscard]] PlanRecord parse_record(const std::string& text, const std::filesystem::path& path);

}  // namespace oscbo::experiment
