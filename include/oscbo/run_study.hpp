// File: oscbo/run_study.hpp
//
// Evaluates the points of a study by starting its program, several at a time, until the study is
// over or somebody interrupts. Any number of processes may do so for one study.
//
//   oscbo::RunSummary summary = oscbo::run_study(study, {.jobs = 4}, {}, interrupted);
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oscbo/study.hpp"

namespace oscbo {

struct RunRules {
  int jobs = 1;                                   // programs at a time
  std::optional<int> evaluations = std::nullopt;  // so many, whatever budget and stop rules say
  std::string worker = "run";                     // the name of this process
  double lease_seconds = 60.0;  // a process that has been silent for so long has lost its trials
  ProgramRules program = {};
};

/// What a run shows of itself.
struct RunProgress {
  int evaluations = 0;  // that ended in this run
  std::vector<TrialNumber> running = {};
  std::optional<StudyTrial> ended = std::nullopt;  // the trial that has just ended
  bool is_waiting = false;  // for trials of other processes, which may come to nothing
  std::optional<TrialNumber> waits_to_store = std::nullopt;  // the database cannot be written
};

/// failing: the first ten trials have all failed, and nobody insisted on a number of evaluations.
enum class RunEnding { budget, evaluations, stop_rule, exhausted, failing, interrupted };

struct RunSummary {
  RunEnding ending = RunEnding::budget;
  std::string reason;  // for people
  int evaluations = 0;
};

/// run_study returns when there is nothing left to do. Interrupted, it ends the running programs
/// and hands their trials back: the next run begins with them. Throws Error (io) for a program that
/// cannot be started, in which case no trial has failed. `on_progress` may be called by several
/// threads, one at a time.
RunSummary run_study(Study& study, const RunRules& rules,
                     const std::function<void(const RunProgress&)>& on_progress,
                     const std::atomic<bool>& interrupted);

}  // namespace oscbo
