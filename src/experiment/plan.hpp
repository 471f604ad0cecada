// What an experiment is asked to do, checked; and what a result directory is about, as recorded in
// its plan.json. The rows of a run are determined by the version and build of the program, the
// steps, the options of its method and what is behind its task (a table, the lander's physics and
// reference value): these must agree between all invocations in one directory. Tasks, methods and
// seeds may grow.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "oscbo/experiment.hpp"

namespace oscbo::experiment {

/// The problems of an experiment by their name, made once and shared by all its runs.
using Tasks = std::map<std::string, Problem>;

/// check_plan returns the tasks of `plan`. It throws Error (invalid_value, unknown_name, io) unless
/// every name, number, setting and table is accepted, and no two methods are the same under two
/// names. It writes nothing.
Tasks check_plan(const ExperimentPlan& plan);

/// compose_config returns a method or variant with its budget and "name=value" settings. Values
/// that contradict each other are left for `validate` to refuse.
[[nodiscard]] Config compose_config(const std::string& method, int steps,
                                    const std::vector<std::string>& settings);

/// effective_config returns the configuration with which `plan` runs `method`.
[[nodiscard]] Config effective_config(const ExperimentPlan& plan, const std::string& method);

/// The values of all options of a method, as they would be typed.
using OptionValues = std::map<std::string, std::string>;

/// The contents of plan.json.
struct PlanRecord {
  std::string version;
  std::string build;
  int steps = 0;
  int seeds = 0;
  std::vector<std::string> tasks;
  std::vector<std::string> methods;
  std::map<std::string, OptionValues> options;  // of each method
  std::map<std::string, std::string> sources;   // of the tasks that are no formula

  bool operator==(const PlanRecord&) const = default;
};

/// make_record returns the record of a directory in which only `plan` has been run.
[[nodiscard]] PlanRecord make_record(const ExperimentPlan& plan);

/// extend_record returns `record` with the tasks, methods and seeds of `plan` added. Throws Error
/// (conflict), naming the difference and `path`, when their rows would not be comparable, and
/// (invalid_value) for a method that is there under another name.
[[nodiscard]] PlanRecord extend_record(const PlanRecord& record, const ExperimentPlan& plan,
                                       const std::filesystem::path& path);

/// add_sources records what is behind `tasks`. Throws Error (conflict), naming the task and `path`,
/// when `record` knows a task with another source. A task that is recorded without one, by an
/// earlier version, gets it now.
void add_sources(PlanRecord& record, const Tasks& tasks, const std::filesystem::path& path);

[[nodiscard]] std::string to_json(const PlanRecord& record);

/// parse_record throws Error (conflict), naming `path`, for text that is no record.
[[nodiscard]] PlanRecord parse_record(const std::string& text, const std::filesystem::path& path);

}  // namespace oscbo::experiment
