#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "counted.hpp"
#include "oscbo/experiment.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct RunArguments {
  ExperimentPlan plan;
  std::vector<std::string> sweeps;
  std::string out;
  std::string data;
  std::string format = "table";
};

std::string progress_text(const ExperimentProgress& progress) {
  std::string text = fmt::format("{}/{}", progress.done, counted(progress.total, "run"));
  if (progress.resumed > 0) text += fmt::format(" ({} found finished)", progress.resumed);
  if (progress.seconds > 0.0) {
    text += fmt::format("  {:.2f} runs/s  {} left",
                        static_cast<double>(progress.done - progress.resumed) / progress.seconds,
                        duration(progress.seconds_left));
  }
  return text;
}

std::string with_error(double mean, double standard_error) {
  return std::isnan(standard_error) ? fmt::format("{:.4g}", mean)
                                    : fmt::format("{:.4g} +- {:.2g}", mean, standard_error);
}

/// The table for the screen. Programs get the columns of summary.csv.
Table screen_table(const std::vector<SummaryRow>& rows) {
  Table table({"task", "method", "seeds", "simple regret", "rank", "cumulative regret", "rank",
               "coverage", "width"});
  for (const SummaryRow& row : rows) {
    table.add({row.task, row.method, std::int64_t{row.seeds},
               with_error(row.simple_regret, row.simple_regret_se), row.simple_rank,
               with_error(row.cumulative_regret, row.cumulative_regret_se), row.cumulative_rank,
               row.coverage, row.mean_width});
  }
  return table;
}

Table summary_table(const std::vector<SummaryRow>& rows) {
  Table table({"method", "task", "seeds", "simple_regret", "simple_regret_se", "cumulative_regret",
               "cumulative_regret_se", "coverage", "mean_width", "simple_rank", "cumulative_rank"});
  for (const SummaryRow& row : rows) {
    table.add({row.method, row.task, std::int64_t{row.seeds}, row.simple_regret,
               row.simple_regret_se, row.cumulative_regret, row.cumulative_regret_se, row.coverage,
               row.mean_width, row.simple_rank, row.cumulative_rank});
  }
  return table;
}

void run_bench(const RunArguments& arguments) {
  ExperimentPlan plan = arguments.plan;
  plan.out = arguments.out;
  plan.methods = sweep_methods(plan.methods, arguments.sweeps);
  plan.data = arguments.data;
  std::vector<SummaryRow> summary;
  {
    const ProgressLine line;
    summary = run_experiment(
        plan, [&](const ExperimentProgress& progress) { line.show(progress_text(progress)); },
        &interrupt_flag());
  }
  const Format format = parse_format(arguments.format);
  const Table table = format == Format::table ? screen_table(summary) : summary_table(summary);
  print(table.render(format));
}

void add_names(CLI::App& command, const std::string& flag, std::vector<std::string>& names,
               const std::string& description) {
  command.add_option(flag, names, description)
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->required();
}

}  // namespace

void add_bench_run(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand("run", "Run every (task, method, seed) of a grid");
  auto arguments = std::make_shared<RunArguments>();
  ExperimentPlan& plan = arguments->plan;
  add_names(*command, "--tasks", plan.tasks, "Tasks, comma-separated");
  add_names(*command, "--methods", plan.methods, "Methods or variants, comma-separated");
  command->add_option("--seeds", plan.seeds, "Number of seeds: 0 .. N-1")->capture_default_str();
  command->add_option("--steps", plan.steps, "Rounds after the initial design")
      ->capture_default_str();
  command->add_option("--jobs", plan.jobs, "Worker threads; never changes a result")
      ->capture_default_str();
  command->add_option("--out", arguments->out, "Directory for the result files")
      ->type_name("DIR")
      ->required();
  add_data(*command, arguments->data);
  add_settings(*command, plan.settings);
  command
      ->add_option("--sweep", arguments->sweeps,
                   "Run every method with each of these option values; repeatable")
      ->type_name("NAME=VALUE,VALUE")
      ->allow_extra_args(false);
  add_format(*command, arguments->format);
  command->footer(
      "Writes runs.csv, timings.csv, queries.csv, calibration.csv, outcomes.csv and summary.csv "
      "to\n"
      "DIR and prints the summary. 'oscbo bench calibration DIR' prints the calibration in full.\n"
      "A finished run is never repeated: after an interruption, the same command continues. More\n"
      "tasks, methods or seeds extend the results in DIR.\n"
      "A variant is a method with its own settings: oscbo+kernel.nu=0.5+fit.start=cold\n\n"
      "Examples:\n"
      "  oscbo bench run --tasks levy5 --methods oscbo,gp-ucb-mll --seeds 5 --out results\n"
      "  oscbo bench run --tasks hartmann3,hartmann6 --methods oscbo --jobs 2 --out ard \\\n"
      "      --set kernel.ard=true --format json\n"
      "  oscbo bench run --tasks levy5 --methods oscbo,gp-ucb-mll --sweep kernel.nu=0.5,1.5,2.5 "
      "\\\n"
      "      --out smoothness\n"
      "  oscbo bench run --tasks material5,table:mine.csv --methods oscbo --data tables --out t");
  command->callback([arguments] { run_bench(*arguments); });
}

}  // namespace oscbo::cli
