// File: oscbo/run_study.hpp
//
// Evaluates the points of a study by starting its program, several at a time, until the study ends
// or the run is interrupted. Any number of processes may run one study.
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
  int jobs = 1;  // programs at a time
  std::optional<int> evaluations =
      std::nullopt;             // exactly this many; overrides budget and stop rules
  std::string worker = "run";   // the name of this process
  double lease_seconds = 60.0;  // a process that is silent for longer loses its trials
  ProgramRules program = {};
};

/// The progress of a run.
struct RunProgress {
  int evaluations = 0;  // evaluations that have ended in this run
  std::vector<TrialNumber> running = {};
  std::optional<StudyTrial> ended = std::nullopt;  // the trial that has just ended
  // The run waits for trials that other processes hold. If one of these processes dies, this run
  // takes over its trials.
  bool is_waiting = false;
  // The trial whose result waits until the database can be written again.
  std::optional<TrialNumber> waits_to_store = std::nullopt;
};

/// Why a run has ended. It ends with `failing` if at least ten trials have failed, no trial has a
/// value, and RunRules::evaluations is not set.
enum class RunEnding { budget, evaluations, stop_rule, exhausted, failing, interrupted };

struct RunSummary {
  RunEnding ending = RunEnding::budget;
  std::string reason;  // for people
  int evaluations = 0;
};

/// run_study returns when there is nothing left to do. When it is interrupted, it ends the running
/// programs and hands their trials back; the next run begins with them. Throws Error (io) if the
/// program cannot be started; no trial fails then. Several threads may call `on_progress`, one at a
/// time.
RunSummary run_study(Study& study, const RunRules& rules,
                     const std::function<void(const RunProgress&)>& on_progress,
                     const std::atomic<bool>& interrupted);

}  // namespace oscbo
