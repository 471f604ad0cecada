// run and worker: evaluate the points of a study with a program.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"
#include "counted.hpp"
#include "oscbo/run_study.hpp"
#include "study_options.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct StudyRunArguments {
  StudyArguments study;
  int jobs = 1;
  std::optional<int> evaluations;
  std::optional<std::string> worker;
  double lease = 60.0;
  std::vector<std::string> command;
  std::vector<std::string> after_mark;  // the rest of the command, or all of it
  std::string format = "table";
};

/// Returns a name like "host:1234", unique among running processes.
std::string name_of_process() {
  std::array<char, 256> host = {};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{}:{}", host.data(), ::getpid());
}

/// Draws values as a row of blocks; higher values have higher blocks.
std::string sparkline(const std::vector<double>& values) {
  constexpr std::array kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::size_t kWidth = 24;
  const std::size_t first = values.size() > kWidth ? values.size() - kWidth : 0;
  const auto [low, high] =
      std::minmax_element(values.begin() + static_cast<std::ptrdiff_t>(first), values.end());
  std::string line;
  for (std::size_t i = first; i < values.size(); ++i) {
    const double share = *high > *low ? (values[i] - *low) / (*high - *low) : 1.0;
    line += kBlocks[static_cast<std::size_t>(std::lround(share * (kBlocks.size() - 1)))];
  }
  return line;
}

/// The view of a study while it runs.
class LiveView {
 public:
  explicit LiveView(const Study& study) : declaration_(study.declaration()) {
    for (const StudyTrial& trial : study.trials()) see(trial);
  }

  void update(const RunProgress& progress) {
    if (progress.ended) see(*progress.ended);
    line_.show(text(progress));
  }

 private:
  void see(const StudyTrial& trial) {
    if (trial.state == TrialState::failed) ++failed_;
    const bool is_asked = !trial.worker.empty();
    if (is_asked && trial.finished && trial.state != TrialState::abandoned) ++evaluated_;
    if (!trial.y()) return;
    if (trial.is_acceptable) see_value(*trial.y());
    const std::optional<bool> covered = trial.covered();
    if (!covered) return;
    ++predicted_;
    if (*covered) ++covered_;
  }

  void see_value(double y) {
    const bool is_new_best = best_.empty() || is_better(declaration_.goal, y, best_.back());
    best_.push_back(is_new_best ? y : best_.back());
  }

  [[nodiscard]] std::string text(const RunProgress& progress) const {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    std::string text =
        fmt::format("{}  {}/{}", duration(std::floor(seconds)), evaluated_, declaration_.budget);
    if (!best_.empty()) text += fmt::format("  best {:.5g} {}", best_.back(), sparkline(best_));
    if (predicted_ > 0) text += fmt::format("  {}/{} as predicted", covered_, predicted_);
    if (failed_ > 0) text += fmt::format("  {} failed", failed_);
    if (progress.waits_to_store) {
      text += fmt::format("  cannot write the value of trial {}; trying again",
                          *progress.waits_to_store);
    }
    if (progress.is_waiting) text += "  waiting for trials of other processes";
    if (!progress.running.empty()) {
      text += fmt::format("  running {}", fmt::join(progress.running, ", "));
    }
    return text;
  }

  const StudyDeclaration& declaration_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  ProgressLine line_;
  std::vector<double> best_;  // best value after each acceptable evaluation
  int evaluated_ = 0;         // finished trials that were asked for
  int failed_ = 0;
  int predicted_ = 0;
  int covered_ = 0;
};

std::optional<StudyTrial> last_failure(const Study& study) {
  std::vector<StudyTrial> trials = study.trials();
  const auto last = std::find_if(trials.rbegin(), trials.rend(), [](const StudyTrial& trial) {
    return trial.state == TrialState::failed;
  });
  if (last == trials.rend()) return std::nullopt;
  return std::move(*last);
}

/// Throws if the run was interrupted or no evaluation returned a value, for the exit status.
void complain_if_cut_short(const Study& study, const RunSummary& summary) {
  if (summary.ending == RunEnding::interrupted) {
    throw Error(ErrorCode::interrupted, "", "interrupted; all values told so far are kept");
  }
  const StudyCounts counts = study.counts();
  if (counts.complete > 0 || counts.failed == 0) return;
  throw Error(ErrorCode::conflict, study.declaration().name,
              fmt::format("no evaluation returned a value; 'oscbo output {} {}' shows the "
                          "output of the program",
                          study.declaration().name, last_failure(study)->number));
}

std::string describe_end(const StudyTrial& trial) {
  if (trial.y()) return fmt::format("trial {}: {:.6g}", trial.number, *trial.y());
  return fmt::format("trial {}: {}{}{}", trial.number, to_string(trial.state),
                     trial.reason.empty() ? "" : ", ", trial.reason);
}

Table summary_table(Study& study, const RunSummary& summary) {
  Table table({"", "value"});
  const StudyCounts counts = study.counts();
  table.add({"ended because", summary.reason});
  table.add({"points in this run", std::int64_t{summary.evaluations}});
  table.add({"complete", counts.complete});
  table.add({"failed", counts.failed});
  if (const auto last = last_failure(study)) {
    table.add({"last failure", fmt::format("trial {}: {}", last->number, last->reason)});
  }
  if (counts.complete == 0) return table;
  const Study::Best best = study.best();
  table.add({"best value", *best.trial.y()});
  table.add({"best by", best.by == RecommendedBy::mean ? "mean of the model" : "observation"});
  table.add({"of trial", best.trial.number});
  table.add({"at", study.space().describe(best.trial.x)});
  if (!best.is_acceptable) table.add({"acceptable", false});
  const CalibrationReport calibration = study.calibration();
  if (calibration.predictions > 0) {
    table.add({"values in the interval predicted",
               fmt::format("{:.0f} of {}, {:.0f} % were claimed",
                           calibration.shown.measured * calibration.predictions,
                           calibration.predictions, 100.0 * calibration.shown.nominal)});
  }
  return table;
}

RunRules rules_of(const StudyRunArguments& arguments, const Study& study) {
  RunRules rules{.jobs = arguments.jobs,
                 .evaluations = arguments.evaluations,
                 .worker = arguments.worker.value_or(name_of_process()),
                 .lease_seconds = arguments.lease,
                 .program = study.declaration().program};
  std::vector<std::string> command = arguments.command;
  command.insert(command.end(), arguments.after_mark.begin(), arguments.after_mark.end());
  if (!command.empty()) rules.program.command = command;
  if (rules.program.command.empty()) {
    throw Error(
        ErrorCode::usage, "",
        fmt::format("'{}' declares no program; name one after --", study.declaration().name));
  }
  return rules;
}

void run_run(const StudyRunArguments& arguments) {
  const Format format = parse_format(arguments.format);
  Study study = open_study(arguments.study);
  const RunRules rules = rules_of(arguments, study);
  const std::atomic<bool>& interrupted = interrupt_flag();
  RunSummary summary;
  {
    LiveView view(study);
    summary = run_study(
        study, rules, [&](const RunProgress& progress) { view.update(progress); }, interrupted);
  }
  print(summary_table(study, summary).render_facts(format));
  complain_if_cut_short(study, summary);
}

void run_worker(const StudyRunArguments& arguments) {
  Study study = open_study(arguments.study);
  const RunRules rules = rules_of(arguments, study);
  const RunSummary summary = run_study(
      study, rules,
      [&](const RunProgress& progress) {
        if (progress.ended) complain(on_one_line(describe_end(*progress.ended)));
      },
      interrupt_flag());
  complain(fmt::format("{}; {}", counted(summary.evaluations, "evaluation"), summary.reason));
  complain_if_cut_short(study, summary);
}

void add_run_options(CLI::App& command, StudyRunArguments& arguments) {
  add_study(command, arguments.study);
  command
      .add_option(
          "-n,--evaluations", arguments.evaluations,
          "Number of points to evaluate, regardless of budget and stop rules (default: until these "
          "end the study)")
      ->check(above_zero());
  command.add_option("--jobs", arguments.jobs, "Number of programs to run at a time")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--worker", arguments.worker, "Name of this process (default: host:pid)");
  command
      .add_option("--lease", arguments.lease,
                  "Seconds without a sign of life after which a process loses its trials")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  command
      .add_option("command", arguments.command,
                  "Program to run, after -- (default: the program of the study file)")
      ->type_name("-- PROGRAM [ARGUMENT...]");
}

}  // namespace

void add_run(CLI::App& program, const std::vector<std::string>& after_mark) {
  CLI::App* command =
      program.add_subcommand("run", "Evaluate the points of a study with a program");
  auto arguments = std::make_shared<StudyRunArguments>();
  arguments->after_mark = after_mark;
  add_run_options(*command, *arguments);
  add_format(*command, arguments->format);
  command->footer(
      "{name} in an argument of the program stands for the value of a parameter. The study file\n"
      "defines how the output is read; by default the last line is the value. Ctrl-C ends running\n"
      "programs; their trials come first in the next run.\n\n"
      "Examples:\n"
      "  oscbo run reactor\n"
      "  oscbo run reactor -n 20 --jobs 4\n"
      "  oscbo run reactor -- ./reactor --temperature {temperature} --solvent {solvent}");
  command->callback([arguments] { run_run(*arguments); });
}

void add_worker(CLI::App& program, const std::vector<std::string>& after_mark) {
  CLI::App* command =
      program.add_subcommand("worker", "Help to evaluate a study that other processes run too");
  auto arguments = std::make_shared<StudyRunArguments>();
  arguments->after_mark = after_mark;
  add_run_options(*command, *arguments);
  command->footer(
      "Same as 'run', but prints a line per trial instead of a live view.\n\n"
      "Examples:\n"
      "  oscbo worker reactor --jobs 2");
  command->callback([arguments] { run_worker(*arguments); });
}

}  // namespace oscbo::cli
