// best, trials, status, predict, calibration, replay and output: reading a study.
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "counted.hpp"
#include "study_options.hpp"
#include "study_tables.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct LookArguments {
  StudyArguments study;
  std::string format = "table";
  std::optional<std::int64_t> last;
  std::vector<std::string> point;
  bool watches = false;
  TrialNumber trial = 0;
};

void run_trials(const LookArguments& arguments) {
  const Format format = parse_format(arguments.format);
  const Study study = open_study(arguments.study);
  print(trial_table(study.space(), study.trials(arguments.last)).render(format));
}

void run_best(const LookArguments& arguments) {
  const Format format = parse_format(arguments.format);
  Study study = open_study(arguments.study);
  const Study::Best best = study.best();
  std::vector<std::string> columns = {"trial", "value", "mean", "sd", "by", "acceptable"};
  for (const Outcome& outcome : study.space().declaration().outcomes) {
    columns.push_back(outcome.name);
  }
  for (const std::string& name : parameter_names(study.space())) columns.push_back(name);
  Table table(columns);
  const auto& prediction = best.prediction;
  std::vector<Cell> row = {best.trial.number,
                           optional_cell(best.trial.y()),
                           prediction ? Cell{prediction->mean} : Cell{},
                           prediction ? Cell{prediction->sd} : Cell{},
                           std::string(best.by == RecommendedBy::mean ? "mean" : "observed"),
                           best.is_acceptable};
  for (const QuantityRecord& outcome : best.trial.outcomes) {
    row.push_back(optional_cell(outcome.value));
  }
  for (const Cell& cell : parameter_cells(study.space(), best.trial.x)) row.push_back(cell);
  table.add(row);
  print(table.render(format));
}

Table status_table(const LookArguments& arguments) {
  const StudyStore store(arguments.study.storage);
  Table table({"study", "method", "goal", "best", "budget", "complete", "pending", "failed",
               "abandoned", "ended because"});
  const std::string& wanted = arguments.study.study;
  for (const std::string& name : wanted.empty() ? store.names() : std::vector{wanted}) {
    const Study study = Study::open(store, name);
    const StudyCounts counts = study.counts();
    const std::optional<std::string> ended = study.ended();
    const std::optional<StudyTrial> best = study.best_observed();
    table.add({name, study.declaration().method, std::string(to_string(study.declaration().goal)),
               best ? Cell{*best->y()} : Cell{}, std::int64_t{study.declaration().budget},
               counts.complete, counts.pending, counts.failed, counts.abandoned,
               ended ? Cell{*ended} : Cell{}});
  }
  return table;
}

/// Prints the table again every two seconds until interrupted.
void watch_status(const LookArguments& arguments, Format format) {
  constexpr std::chrono::milliseconds kPause(100);
  constexpr int kPauses = 20;
  const char* const clear_screen = ::isatty(STDOUT_FILENO) == 1 ? "\x1b[H\x1b[2J" : "";
  const std::atomic<bool>& interrupted = interrupt_flag();
  while (!interrupted) {
    print(clear_screen + status_table(arguments).render(format));
    for (int i = 0; i < kPauses && !interrupted; ++i) std::this_thread::sleep_for(kPause);
  }
}

void run_status(const LookArguments& arguments) {
  const Format format = parse_format(arguments.format);
  if (arguments.watches) {
    watch_status(arguments, format);
  } else {
    print(status_table(arguments).render(format));
  }
}

/// quantity_names returns the names of the objectives and outcomes by their numbers.
std::vector<std::string> quantity_names(const StudyDeclaration& declaration) {
  std::vector<std::string> names;
  for (const Objective& objective : declaration.objectives()) names.push_back(objective.name);
  for (const Outcome& outcome : declaration.space.outcomes) names.push_back(outcome.name);
  return names;
}

void run_predict(const LookArguments& arguments) {
  const Format format = parse_format(arguments.format);
  Study study = open_study(arguments.study);
  const std::vector<std::vector<double>> points = {parse_point(study.space(), arguments.point)};
  const std::vector<std::string> quantities = quantity_names(study.declaration());
  Table table({"quantity", "mean", "sd", "lower", "upper", "level", "latent sd"});
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const Prediction prediction = study.predict(points, i).front();
    table.add({quantities[i], prediction.mean, prediction.observation_sd,
               prediction.mean - 0.5 * prediction.width, prediction.mean + 0.5 * prediction.width,
               std::erf(std::sqrt(0.5 * prediction.beta)), prediction.sd});
  }
  print(table.render(format));
}

void add_calibration_rows(Table& table, const std::string& quantity,
                          const CalibrationReport& report) {
  if (report.predictions == 0) {
    throw Error(
        ErrorCode::conflict, "calibration",
        "nothing has been predicted and observed yet; the initial design has no predictions");
  }
  const auto add_coverage = [&](const std::string& measure, const LevelCoverage& level) {
    table.add({quantity, measure, level.nominal, level.measured, level.lower, level.upper});
  };
  add_coverage("in the interval shown", report.shown);
  for (const LevelCoverage& level : report.coverage) {
    add_coverage(fmt::format("in the {:.3g} % interval", 100.0 * level.nominal), level);
  }
  const auto add_number = [&](const std::string& measure, double number) {
    table.add({quantity, measure, Cell{}, number, Cell{}, Cell{}});
  };
  add_number("predictions", report.predictions);
  add_number("mean width", report.mean_width);
  add_number("PIT distance", report.pit_distance);
  add_number("log score", report.log_score);
  add_number("CRPS", report.crps);
}

void run_study_calibration(const LookArguments& arguments) {
  const Format format = parse_format(arguments.format);
  const Study study = open_study(arguments.study);
  Table table({"quantity", "measure", "claimed", "measured", "lower", "upper"});
  const std::vector<std::string> quantities = quantity_names(study.declaration());
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    add_calibration_rows(table, quantities[i], study.calibration(i));
  }
  print(table.render(format));
}

void run_replay(const LookArguments& arguments) {
  const Study study = open_study(arguments.study);
  std::vector<Study::Mismatch> mismatches;
  {
    const ProgressLine line;
    mismatches = study.verify(
        [&](std::size_t done, std::size_t all) { line.show(fmt::format("{}/{}", done, all)); });
  }
  for (const auto& [number, what] : mismatches) {
    print(fmt::format("trial {}: {}\n", number, what));
  }
  if (!mismatches.empty()) {
    throw Error(ErrorCode::conflict, "replay",
                fmt::format("{} came out differently", counted(mismatches.size(), "suggestion")));
  }
  print("every suggestion came out as it was stored\n");
}

void run_output(const LookArguments& arguments) {
  const Study study = open_study(arguments.study);
  static_cast<void>(study.trial(arguments.trial));  // refuses an unknown trial
  const std::vector<ProgramOutput> outputs = study.outputs(arguments.trial);
  if (outputs.empty()) complain("no program has run for this trial");
  for (const ProgramOutput& attempt : outputs) {
    print(fmt::format("--- attempt {}: {}\n{}", attempt.attempt, attempt.ending, attempt.output));
    if (!attempt.errors.empty()) print(fmt::format("--- standard error\n{}", attempt.errors));
  }
}

}  // namespace

void add_output(CLI::App& program) {
  CLI::App* command = program.add_subcommand("output", "Print the program output of a trial");
  auto arguments = std::make_shared<LookArguments>();
  add_study(*command, arguments->study);
  add_trial(*command, arguments->trial);
  command->footer(
      "Prints the first and last 32 KiB of each stream, for every attempt of 'run' or 'worker'.\n\n"
      "Examples:\n"
      "  oscbo output reactor 9");
  command->callback([arguments] { run_output(*arguments); });
}

void add_trials(CLI::App& program) {
  CLI::App* command = program.add_subcommand("trials", "List the trials of a study");
  auto arguments = std::make_shared<LookArguments>();
  add_study(*command, arguments->study);
  command->add_option("--last", arguments->last, "Number of newest trials to list (default: all)")
      ->check(above_zero());
  add_format(*command, arguments->format);
  command->footer(
      "mean and sd are the prediction of the model before the value was known; covered tells "
      "whether\n"
      "the value lay in the predicted interval.\n\n"
      "Examples:\n"
      "  oscbo trials reactor --last 20\n"
      "  oscbo trials reactor --format csv > trials.csv");
  command->callback([arguments] { run_trials(*arguments); });
}

void add_best(CLI::App& program) {
  CLI::App* command = program.add_subcommand("best", "Recommend a point of a study");
  auto arguments = std::make_shared<LookArguments>();
  add_study(*command, arguments->study);
  add_format(*command, arguments->format);
  command->footer(
      "If the values are noisy, recommends the point with the best mean of the model, otherwise "
      "the\n"
      "one with the best observed value; 'by' tells which. mean and sd are the prediction of the\n"
      "noiseless value at the point. 'acceptable' is false if no point satisfies all limits of "
      "the\n"
      "outcomes.\n\n"
      "Examples:\n"
      "  oscbo best reactor\n"
      "  oscbo best reactor --format json");
  command->callback([arguments] { run_best(*arguments); });
}

void add_status(CLI::App& program) {
  CLI::App* command = program.add_subcommand("status", "Show the progress of studies");
  auto arguments = std::make_shared<LookArguments>();
  command->add_option("study", arguments->study.study, "Name of the study (default: all studies)")
      ->type_name("STUDY");
  command->add_flag("--watch", arguments->watches, "Print the table again every two seconds");
  add_storage(*command, arguments->study.storage);
  add_format(*command, arguments->format);
  command->footer(
      "Examples:\n"
      "  oscbo status\n"
      "  oscbo status --watch\n"
      "  oscbo status reactor --format json");
  command->callback([arguments] { run_status(*arguments); });
}

void add_predict(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("predict", "Print the prediction of the model at a point");
  auto arguments = std::make_shared<LookArguments>();
  add_study(*command, arguments->study);
  command->add_option("point", arguments->point, "Value of every parameter")
      ->type_name("NAME=VALUE...")
      ->required();
  add_format(*command, arguments->format);
  command->footer(
      "Prints a row for the value and one for each outcome. sd is the standard deviation of an\n"
      "observation, latent sd that of the noiseless value. lower and upper bound an interval for "
      "an\n"
      "observation; level is the probability, according to the model, that it lies inside.\n\n"
      "Examples:\n"
      "  oscbo predict reactor temperature=80 solvent=water reflux=0.5");
  command->callback([arguments] { run_predict(*arguments); });
}

void add_calibration(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "calibration", "Show how far the predictions of a study can be trusted");
  auto arguments = std::make_shared<LookArguments>();
  add_study(*command, arguments->study);
  add_format(*command, arguments->format);
  command->footer(
      "Compares the predictions stored before the values were known with these values. Prints the\n"
      "share of values inside the predicted interval and inside the central intervals of other\n"
      "levels, each with its Wilson 95 % interval. PIT distance: n calibrated predictions exceed\n"
      "about 1.36 / sqrt(n) in one of twenty cases. Log score: higher is better; CRPS: lower is\n"
      "better. The same rows follow for every outcome.\n\n"
      "Examples:\n"
      "  oscbo calibration reactor");
  command->callback([arguments] { run_study_calibration(*arguments); });
}

void add_replay(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("replay", "Recompute every suggestion of a study and compare");
  auto arguments = std::make_shared<LookArguments>();
  auto verifies = std::make_shared<bool>(true);
  add_study(*command, arguments->study);
  command->add_flag("--verify", *verifies, "Compare points and predictions; always on");
  command->footer(
      "A suggestion is determined by the declaration, the seed and the log before it. On another\n"
      "kind of processor the last bits may differ.\n\n"
      "Examples:\n"
      "  oscbo replay reactor --verify");
  command->callback([arguments, verifies] { run_replay(*arguments); });
}

}  // namespace oscbo::cli
