#include <cstdlib>
#include <memory>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "counted.hpp"
#include "oscbo/paper.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct PaperArguments {
  PaperPlan plan;
  std::string out;
  std::string data;
  std::string weights;  // "tabicl.weights=FILE"
  bool without_tables = false;
  bool without_figures = false;
  bool report_only = false;
  std::string format = "table";
};

constexpr std::string_view kWeightsOption = "tabicl.weights=";

/// weights_file returns the file of `setting`, or else that of the environment; empty for neither.
std::string weights_file(std::string_view setting) {
  if (!setting.empty()) return std::string(setting.substr(kWeightsOption.size()));
  const char* variable = std::getenv("OSCBO_TABICL_WEIGHTS");
  return variable == nullptr ? "" : variable;
}

/// check_weights_setting refuses all other options, because the paper's experiments fix them.
std::string check_weights_setting(const std::string& setting) {
  const bool names_file =
      setting.starts_with(kWeightsOption) && setting.size() > kWeightsOption.size();
  if (names_file) return {};
  return fmt::format("'{}' is not accepted; use {}FILE, because the experiments fix all else",
                     setting, kWeightsOption);
}

std::string progress_text(const PaperProgress& progress) {
  std::string text = fmt::format("{}  {}/{}", progress.stage, progress.done, progress.total);
  if (progress.seconds_left > 0.0) {
    text += fmt::format("  {}{} left", duration(progress.seconds_left),
                        progress.more_to_come ? " and the lander" : "");
  }
  return text;
}

/// The table for the screen leaves out the rules; the report and the other formats have them.
Table claims_table(const std::vector<PaperClaim>& claims, Format format) {
  if (format == Format::table) {
    Table table({"claim", "verdict"});
    for (const PaperClaim& claim : claims) {
      table.add({claim.statement, std::string(to_string(claim.verdict))});
    }
    return table;
  }
  Table table({"claim", "verdict", "numbers", "rule"});
  for (const PaperClaim& claim : claims) {
    table.add({claim.statement, std::string(to_string(claim.verdict)), claim.numbers, claim.rule});
  }
  return table;
}

/// Lists the files written and the number of missing runs on standard error: standard output has
/// only the table.
void name_written_files(const PaperResult& result) {
  for (const std::filesystem::path& file : result.files) complain(file.string());
  if (result.runs_finished >= result.runs_planned) return;
  complain(fmt::format("{} of {} finished; verdicts may change", result.runs_finished,
                       counted(result.runs_planned, "run")));
}

void run_paper_command(const PaperArguments& arguments) {
  const Format format = parse_format(arguments.format);
  PaperPlan plan = arguments.plan;
  plan.out = arguments.out;
  plan.data = arguments.data;
  plan.tabicl_weights = weights_file(arguments.weights);
  plan.tables = !arguments.without_tables;
  plan.figures = !arguments.without_figures;
  PaperResult result;
  {
    const ProgressLine line;
    const auto show = [&](const PaperProgress& progress) { line.show(progress_text(progress)); };
    result =
        arguments.report_only ? report_paper(plan, show) : run_paper(plan, show, &interrupt_flag());
  }
  print(claims_table(result.claims, format).render(format));
  name_written_files(result);
}

}  // namespace

void add_bench_paper(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand(
      "paper", "Run the paper's experiments, draw its figures, check its claims");
  auto arguments = std::make_shared<PaperArguments>();
  PaperPlan& plan = arguments->plan;
  command->add_option("--out", arguments->out, "Directory for the results and the report")
      ->type_name("DIR")
      ->required();
  add_data(*command, arguments->data);
  CLI::Option* weights =
      command
          ->add_option("--set", arguments->weights,
                       "Also run the paper's baseline TabICLv2, with the weights in FILE (default: "
                       "the environment variable OSCBO_TABICL_WEIGHTS)")
          ->type_name("tabicl.weights=FILE")
          ->check(CLI::Validator(check_weights_setting, ""));
  CLI::Option* report_only = command->add_flag("--report-only", arguments->report_only,
                                               "Run nothing; report on the finished runs in DIR");
  weights->excludes(report_only);
  command
      ->add_flag("--no-tables", arguments->without_tables,
                 "Leave out the tasks that need tables (--data)")
      ->excludes(report_only);
  command
      ->add_flag("--quick", plan.quick, "Run 3 seeds, 30 rounds, fewer flights: minutes, not hours")
      ->excludes(report_only);
  command->add_option("--jobs", plan.jobs, "Worker threads; never changes a result")
      ->capture_default_str();
  command->add_option("--tasks", plan.tasks, "Only these of the paper's tasks, comma-separated")
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes(report_only);
  command->add_option("--seeds", plan.seeds, "Number of seeds instead of the paper's")
      ->check(CLI::Range(1, 1000000))
      ->excludes(report_only);
  command->add_option("--steps", plan.steps, "Number of rounds instead of the paper's")
      ->check(CLI::Range(1, 1000000))
      ->excludes(report_only);
  command->add_flag("--no-figures", arguments->without_figures,
                    "Draw no SVG and PDF figures, which need gnuplot");
  add_format(*command, arguments->format);
  command->footer(
      "Runs eight methods on seven tasks (DIR/main), then with other kernels and acquisitions\n"
      "(DIR/ablations), then with other values of two settings that the paper leaves open\n"
      "(DIR/sweep). One of the eight, pfn, is not in the paper, and no verdict depends on it. The\n"
      "paper's baseline TabICLv2, the method tabicl, is the ninth if its weights are named.\n"
      "Writes DIR/report.html, DIR/report.md and DIR/figures/, and prints which of the paper's\n"
      "claims the results support. A finished run is never repeated: after an interruption, the\n"
      "same command continues.\n\n"
      "Examples:\n"
      "  oscbo bench paper --out quick --quick --no-tables --jobs 2\n"
      "  oscbo bench paper --out paper --data tables --jobs 8\n"
      "  oscbo bench paper --out paper --report-only --format json");
  command->callback([arguments] { run_paper_command(*arguments); });
}

}  // namespace oscbo::cli
